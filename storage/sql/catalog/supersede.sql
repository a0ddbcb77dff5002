-- Marks the version of a memory that a later one corrects.
UPDATE experience SET superseded_by = :seq
WHERE space = :space AND superseded_by IS NULL AND seq < :seq
  AND seq = (SELECT seq FROM entry WHERE id = :corrected AND space = :space)
