-- What had been corrected by then: sequence, id, and the sequence of the next version.
SELECT x.seq, x.id, x.superseded_by
FROM experience x INDEXED BY experience_superseded
CROSS JOIN experience n ON n.space = x.space AND n.seq = x.superseded_by
WHERE x.space = :space AND x.superseded_by IS NOT NULL
  AND (:until IS NULL OR n.at < :until) AND (:seq_max IS NULL OR n.seq <= :seq_max)
