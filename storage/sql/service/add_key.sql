-- A new key of a caller.
INSERT INTO api_key (id, hash, label, access, spaces, created) VALUES (?, ?, ?, ?, ?, ?)
