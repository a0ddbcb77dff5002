-- Whether the memory of an id, Meridia's or the caller's, was erased.
SELECT 1 FROM entry e
WHERE e.space = :space AND e.seq IN (
    SELECT seq FROM entry WHERE id = :id
    UNION SELECT seq FROM entry
    WHERE space = :space AND kind = 'ExperienceCaptured' AND key = :id)
  AND e.kind = 'ExperienceCaptured'
  AND NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq)
LIMIT 1
