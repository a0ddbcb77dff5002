-- Drops a damaged vector: it is made again.
DELETE FROM embedding WHERE rowid = ?
