-- The memories that are asked for, whoever may see them, and earlier versions too.
WITH candidate (seq) AS (
    SELECT value FROM json_each(:seqs) WHERE :seqs IS NOT NULL
    UNION ALL
    SELECT e.seq FROM entry e INDEXED BY entry_by_stream
    WHERE :seqs IS NULL AND :session IS NOT NULL AND e.space = :space AND e.stream = :session
    UNION ALL
    SELECT x.seq FROM experience x INDEXED BY experience_by_person
    WHERE :seqs IS NULL AND :session IS NULL AND :people IS NOT NULL AND x.space = :space
      AND x.person IN (SELECT value FROM json_each(:people))
    UNION ALL
    SELECT x.seq FROM experience x
    WHERE :seqs IS NULL AND :session IS NULL AND :people IS NULL AND x.space = :space)
SELECT DISTINCT x.seq
FROM candidate c
CROSS JOIN experience x ON x.space = :space AND x.seq = c.seq
CROSS JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE (:people IS NULL OR x.person IN (SELECT value FROM json_each(:people)))
  AND (:session IS NULL OR x.session = :session)
  AND (:before IS NULL OR x.at < :before)
  AND (:kind IS NULL OR x.kind = :kind)
  AND {include fragments/metadata_conditions}
ORDER BY x.seq
