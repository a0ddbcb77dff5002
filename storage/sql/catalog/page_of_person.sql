-- One page of the experiences of one person under filters, in journal order.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM experience x INDEXED BY experience_by_speaker
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.person = :member AND x.seq > :after
  AND {include fragments/experience_filters}
ORDER BY x.seq LIMIT :limit
