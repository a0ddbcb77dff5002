-- A kept recall.
SELECT body FROM recall WHERE space = ? AND id = ?
