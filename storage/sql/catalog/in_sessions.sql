-- The newest experiences of some sessions, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status
FROM json_each(:sessions) wanted
CROSS JOIN entry e INDEXED BY entry_by_stream ON e.space = :space AND e.stream = wanted.value
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
WHERE (:until IS NULL OR x.at < :until) AND (:seq_max IS NULL OR x.seq <= :seq_max)
  AND (x.superseded_by IS NULL OR x.superseded_by > coalesce(:seq_max, x.superseded_by))
  AND (:restricted OR x.traits & 64 = 0)
ORDER BY x.at DESC, x.seq DESC LIMIT :limit
