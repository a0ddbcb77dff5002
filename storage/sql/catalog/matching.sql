-- The sequences that filters leave, for recall to look among.
SELECT x.seq
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = :space
  AND {include fragments/experience_filters}
ORDER BY x.seq
