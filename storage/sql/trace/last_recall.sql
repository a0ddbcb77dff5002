-- The newest kept recall of a space, in the order of keeping: a clock may have been set back.
SELECT id FROM recall WHERE space = ? ORDER BY rowid DESC LIMIT 1
