-- Revokes a key; the time of the first time stays.
UPDATE api_key SET revoked = ? WHERE id = ? AND revoked IS NULL
