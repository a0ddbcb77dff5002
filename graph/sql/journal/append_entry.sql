-- One header of the chain.
INSERT INTO entry (space, kind, id, key, stream, previous, at, recorded_at, payload_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
