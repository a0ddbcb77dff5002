-- One experience by Meridia's id or by the caller's.
{include fragments/keys_of_id}
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown,
       x.superseded_by
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.seq IN (
    SELECT seq FROM entry WHERE id = :id
    UNION SELECT e.seq FROM reused
    CROSS JOIN entry e INDEXED BY sqlite_autoindex_entry_3
    ON e.space = :space AND e.kind = 'ExperienceCaptured' AND e.key = reused.key)
