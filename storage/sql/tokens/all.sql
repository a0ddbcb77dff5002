-- The token vectors of every experience of a space with their row, and whether they are whole.
SELECT rowid, body, pieces, checksum IS checksum(body) FROM token_vectors WHERE space = ?
