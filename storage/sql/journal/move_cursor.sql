-- A projection's position, moved in the transaction that did the work; never backwards.
INSERT INTO cursor (space, projection, version, seq) VALUES (?, ?, ?, ?)
ON CONFLICT (space, projection) DO UPDATE SET
    seq = CASE WHEN version = excluded.version THEN max(seq, excluded.seq) ELSE excluded.seq END,
    version = excluded.version
