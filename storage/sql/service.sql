-- name: add_key
-- A new key of a caller.
INSERT INTO api_key (id, hash, label, access, spaces, created) VALUES (?, ?, ?, ?, ?, ?)

-- name: find_key
-- The key of an id, revoked or not.
SELECT id, hash, label, access, spaces, created, revoked FROM api_key WHERE id = ?

-- name: list_keys
-- All keys, the oldest first.
SELECT id, hash, label, access, spaces, created, revoked FROM api_key ORDER BY created, id

-- name: revoke_key
-- Revokes a key; the time of the first time stays.
UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL
