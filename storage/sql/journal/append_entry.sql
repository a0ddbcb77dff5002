-- One header of the chain, unless its key is there already: then nothing is written.
INSERT INTO entry (seq, space, kind, id, key, stream, previous, at, recorded_at, payload_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (space, kind, key) DO NOTHING
