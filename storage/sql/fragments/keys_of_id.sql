-- The keys that events of a caller's id have: used anew after a forgetting, it gets another.
WITH RECURSIVE reused (key) AS (
    SELECT :id
    UNION ALL
    SELECT reused.key || char(30) FROM reused
    CROSS JOIN entry e INDEXED BY sqlite_autoindex_entry_3
    ON e.space = :space AND e.kind = 'ExperienceCaptured' AND e.key = reused.key
    WHERE NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq))
