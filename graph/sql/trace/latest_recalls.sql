-- The latest kept recalls.
SELECT id, at, body FROM recall WHERE space = ? ORDER BY at DESC LIMIT ?
