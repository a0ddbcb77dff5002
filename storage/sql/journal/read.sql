-- A run of a space's entries in order, for projections.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.seq > ? ORDER BY e.seq LIMIT ?
