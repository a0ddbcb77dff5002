-- Drops damaged token vectors: they are made again.
DELETE FROM token_vectors WHERE rowid = ?
