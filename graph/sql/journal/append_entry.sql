-- One header of the chain.
INSERT INTO entry (seq, space, kind, id, key, stream, previous, at, recorded_at, payload_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
