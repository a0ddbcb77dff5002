-- name: entries
-- Everything that an archive has of the entries of a space, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, e.previous, e.at, e.recorded_at, e.payload_hash,
       e.hash, p.salt, unpack(p.body), h.expires_at, h.body
FROM entry e
LEFT JOIN payload p ON p.seq = e.seq
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? ORDER BY e.seq

-- name: note_forgettings
-- What a space forgot before it was archived: it is finished there.
INSERT INTO forgetting (space, seq, unfinished)
SELECT space, seq, 0 FROM entry WHERE space = ? AND kind = 'Forgotten'
