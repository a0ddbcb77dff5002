-- Some entries by their ids, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e INDEXED BY sqlite_autoindex_entry_1
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.id IN (SELECT value FROM json_each(?)) ORDER BY e.seq
