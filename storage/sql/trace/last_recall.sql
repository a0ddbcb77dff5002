-- The newest kept recall of a space: ids grow with time.
SELECT id FROM recall WHERE space = ? ORDER BY id DESC LIMIT 1
