-- The body apart from its header, so that it can be erased.
INSERT INTO payload (seq, space, salt, body) VALUES (?, ?, ?, ?)
