-- The newest experiences of some sessions, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM json_each(:sessions) wanted
CROSS JOIN entry e INDEXED BY entry_by_stream ON e.space = :space AND e.stream = wanted.value
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE {include fragments/experience_filters}
ORDER BY x.at DESC, x.seq DESC LIMIT :limit
