-- The experiences of a few sequences, with their bodies.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown,
       x.superseded_by
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.seq IN (SELECT value FROM json_each(:seqs))
  AND (:restricted OR x.traits & 64 = 0)
