-- What each kept recall (by sequence, earlier by id) and pack showed, and the first turn after it.
WITH shown (id, space, at, mode, question, seq, memories) AS (
    SELECT r.id, r.space, r.at, 'recall',
           json_extract(r.body, '$.question'), json_extract(r.body, '$.seq'),
           (SELECT json_group_array(coalesce(x.id, json_extract(h.value, '$.id')))
            FROM json_each(r.body, '$.hits') h
            LEFT JOIN experience x
            ON h.type = 'integer' AND x.space = r.space AND x.seq = h.value
            WHERE h.type <> 'integer' OR x.id IS NOT NULL)
    FROM recall r WHERE r.space = :space AND r.at BETWEEN :since AND :until
    UNION ALL
    SELECT p.id, p.space, p.at, p.mode,
           coalesce(json_extract(p.body, '$.ask.query'), ''), json_extract(p.body, '$.ask.seq'),
           (SELECT json_group_array(e.id)
            FROM json_each(p.body, '$.ids') c
            JOIN entry e ON e.id = replace(c.value, 'meridia://', ''))
    FROM pack p WHERE p.space = :space AND p.at BETWEEN :since AND :until)
SELECT s.id, s.at, s.mode, s.question, s.memories, e.seq
FROM shown s
JOIN entry e ON e.space = s.space AND e.seq = (
    SELECT min(x.seq) FROM entry x
    WHERE x.space = s.space AND x.seq > s.seq AND x.kind = 'ExperienceCaptured')
WHERE e.stream = :session
ORDER BY s.id
