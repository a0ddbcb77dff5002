-- One page of the experiences of one session under filters, in journal order.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM entry e
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE e.space = :space AND e.stream = :session AND e.seq > :after
  AND {include fragments/experience_filters}
ORDER BY x.seq LIMIT :limit
