-- The entries of one stream after a sequence, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e INDEXED BY entry_by_stream
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.stream = ? AND e.seq > ? ORDER BY e.seq
