-- What was said of some facts that are no more, and of those that they ended.
SELECT e.seq, e.kind, e.id, NULL FROM entry e INDEXED BY sqlite_autoindex_entry_3
JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.kind = 'FactSuperseded' AND (
    p.body ->> '$.fact' IN (SELECT value FROM json_each(:facts))
    OR p.body ->> '$.by_fact' IN (SELECT value FROM json_each(:facts)))
