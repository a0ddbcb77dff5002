-- What the re-evaluation of one experience found.
UPDATE experience SET status = :status, significance = coalesce(:significance, significance)
WHERE space = :space AND seq = (SELECT seq FROM entry WHERE id = :id) RETURNING seq
