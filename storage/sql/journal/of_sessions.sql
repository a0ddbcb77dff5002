-- The entries of one kind that speak about some sessions, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, NULL
FROM entry e INDEXED BY sqlite_autoindex_entry_3
{include fragments/read_payload}
WHERE e.space = ? AND e.kind = ?
  AND p.body ->> '$.session' IN (SELECT value FROM json_each(?)) ORDER BY e.seq
