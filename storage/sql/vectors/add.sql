-- Records one vector; the first one recorded for a text stands.
INSERT OR IGNORE INTO embedding (space, model, text_hash, part, vector, checksum)
VALUES (?, ?, ?, ?, ?, ?)
