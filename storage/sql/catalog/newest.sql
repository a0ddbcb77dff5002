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
  AND (:metadata IS NULL OR NOT EXISTS (
        SELECT 1 FROM json_each(:metadata) wanted
        WHERE NOT EXISTS (
            SELECT 1 FROM json_each(coalesce(h.body, p.body), '$.event.metadata') kept
            WHERE kept.key = wanted.key AND kept.value IS wanted.value
              AND (kept.type = wanted.type
                   OR (kept.type IN ('integer', 'real') AND wanted.type IN ('integer', 'real'))))))
ORDER BY x.at DESC, x.seq DESC LIMIT :limit
