-- All keys, the oldest first.
SELECT id, hash, label, access, spaces, created, revoked FROM api_key ORDER BY created, id
