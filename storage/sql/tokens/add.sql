-- Records the token vectors of one experience; a later version of the pass overwrites them.
INSERT OR REPLACE INTO token_vectors (space, model, seq, body, pieces, checksum)
VALUES (?, ?, ?, ?, ?, ?)
