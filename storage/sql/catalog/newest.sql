-- The newest experiences of a space under filters, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space
  AND {include fragments/experience_filters}
ORDER BY x.at DESC, x.seq DESC LIMIT :limit
