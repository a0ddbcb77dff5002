-- A kept pack by its id.
SELECT body FROM pack WHERE space = ? AND id = ?
