-- What had been corrected by a moment and a sequence: sequence, id, and the sequence of its successor.
SELECT x.seq, x.id, x.superseded_by
FROM experience x JOIN experience n ON n.space = x.space AND n.seq = x.superseded_by
WHERE x.space = :space AND x.superseded_by IS NOT NULL
  AND (:until IS NULL OR n.at < :until) AND (:seq_max IS NULL OR n.seq <= :seq_max)
