-- The newest experiences of a space under filters, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = :space
  AND (:restricted OR x.traits & 64 = 0)
  AND (:person IS NULL OR x.person = :person)
  AND (:session IS NULL OR x.session = :session)
  AND (:kind IS NULL OR x.kind = :kind)
  AND (:engagement IS NULL OR x.engagement_quality = :engagement)
  AND (:emotion IS NULL OR :emotion IN (SELECT value FROM json_each(x.emotional_primary)))
  AND (:since IS NULL OR x.at >= :since)
  AND (:until IS NULL OR x.at < :until)
  AND (:seq_max IS NULL OR x.seq <= :seq_max)
  AND (:conditions IS NULL OR NOT EXISTS (
        SELECT 1 FROM json_each(:conditions) c
        WHERE (c.value ->> 'comparison' = 'ne') = EXISTS (
            SELECT 1 FROM json_each(coalesce(h.body, p.body), '$.event.metadata') m
            JOIN json_each(c.value, '$.values') w
            LEFT JOIN json_each(CASE m.type WHEN 'array' THEN m.value ELSE '[]' END) e
            WHERE m.key = c.value ->> 'key'
              AND (coalesce(e.type, m.type) = w.type OR (
                    coalesce(e.type, m.type) IN ('integer', 'real')
                    AND w.type IN ('integer', 'real')))
              AND CASE c.value ->> 'comparison'
                    WHEN 'lt' THEN coalesce(e.value, m.value) < w.value
                    WHEN 'lte' THEN coalesce(e.value, m.value) <= w.value
                    WHEN 'gt' THEN coalesce(e.value, m.value) > w.value
                    WHEN 'gte' THEN coalesce(e.value, m.value) >= w.value
                    ELSE w.type = 'null' OR coalesce(e.value, m.value) = w.value END)))
  AND (x.superseded_by IS NULL OR x.superseded_by > coalesce(:seq_max, x.superseded_by))
ORDER BY x.at DESC, x.seq DESC LIMIT :limit
