-- The newest experiences of a space under filters, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, p.body
FROM experience x JOIN payload p ON p.seq = x.seq
WHERE x.space = :space
  AND (:person IS NULL OR x.person = :person)
  AND (:session IS NULL OR x.session = :session)
  AND (:kind IS NULL OR x.kind = :kind)
  AND (:since IS NULL OR x.at >= :since)
  AND (:until IS NULL OR x.at < :until)
  AND (:seq_max IS NULL OR x.seq <= :seq_max)
  AND (:metadata IS NULL OR NOT EXISTS (
        SELECT 1 FROM json_each(:metadata) wanted
        WHERE json_extract(p.body, '$.event.metadata.' || json_quote(wanted.key))
              IS NOT wanted.value))
ORDER BY x.at DESC, x.seq DESC LIMIT :limit
