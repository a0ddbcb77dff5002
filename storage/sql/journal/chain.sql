-- Everything that verification hashes, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, e.previous, e.at, e.recorded_at, e.payload_hash,
       e.hash, p.salt, p.body, p.space
FROM entry e LEFT JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.seq > ? ORDER BY e.seq LIMIT ?
