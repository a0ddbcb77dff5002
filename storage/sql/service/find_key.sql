-- The key of an id, revoked or not.
SELECT id, hash, label, access, spaces, created, revoked FROM api_key WHERE id = ?
