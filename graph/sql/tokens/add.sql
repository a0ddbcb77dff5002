-- Records the token vectors of one experience; the first ones recorded stand.
INSERT OR IGNORE INTO token_vectors (space, model, seq, body) VALUES (?, ?, ?, ?)
