-- The sequences that filters leave, by what is listed, for recall to look among.
SELECT x.seq FROM experience x
WHERE x.space = :space AND EXISTS (SELECT 1 FROM payload p WHERE p.seq = x.seq)
  AND {include fragments/listed_filters}
ORDER BY x.seq
