-- name: after
-- Everything that a journal shared by replicas has of the entries after a sequence, in order.
WITH due AS MATERIALIZED (
    SELECT e.space, e.seq, s.name FROM space s
    CROSS JOIN entry e ON e.space = s.number AND e.seq > ?1
    WHERE s.head_seq > ?1 ORDER BY e.seq)
SELECT e.seq, d.name, e.kind, e.id, e.key, e.stream, e.previous, e.at, e.recorded_at,
    e.payload_hash, e.hash, p.salt, unpack(p.body), h.expires_at, h.body
FROM due d
CROSS JOIN entry e ON e.space = d.space AND e.seq = d.seq
LEFT JOIN payload p ON p.seq = e.seq
LEFT JOIN provisional h ON h.seq = e.seq

-- name: end
-- The newest entry of the file.
SELECT head_seq, head_hash, number FROM space ORDER BY head_seq DESC LIMIT 1

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
