-- name: add_key
-- A key of a caller; one that was given before opens what it is given for now.
INSERT INTO api_key (id, hash, label, access, spaces, created) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (id)
DO UPDATE SET label = excluded.label, access = excluded.access, spaces = excluded.spaces
WHERE api_key.hash = excluded.hash
RETURNING id

-- name: find_key
-- The key of an id, revoked or not.
SELECT id, hash, label, access, spaces, created, revoked FROM api_key WHERE id = ?

-- name: list_keys
-- All keys, the oldest first.
SELECT id, hash, label, access, spaces, created, revoked FROM api_key ORDER BY created, id

-- name: revoke_key
-- Revokes a key; the time of the first time stays.
UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL

-- name: keep_key
-- A key as the shared journal has it.
INSERT OR REPLACE INTO api_key (id, hash, label, access, spaces, created, revoked)
VALUES (?, ?, ?, ?, ?, ?, ?)
