-- The entries of one kind about some sessions: of their memories, or keyed by them; in order.
WITH wanted AS (SELECT value AS session FROM json_each(?3)),
found AS (
    SELECT a.seq FROM wanted
    CROSS JOIN entry s INDEXED BY entry_by_stream ON s.space = ?1 AND s.stream = wanted.session
    CROSS JOIN about a ON a.space = s.space AND a.memory = s.seq
    UNION
    SELECT k.seq FROM wanted
    CROSS JOIN entry k INDEXED BY sqlite_autoindex_entry_3 ON k.space = ?1 AND k.kind = ?2
        AND k.key >= wanted.session || '#' AND k.key < wanted.session || '$')
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, NULL
FROM found CROSS JOIN entry e ON e.space = ?1 AND e.seq = found.seq
{include fragments/read_payload}
WHERE e.kind = ?2 AND p.body ->> '$.session' IN (SELECT session FROM wanted)
ORDER BY e.seq
