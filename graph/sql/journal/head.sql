-- The end of a space's chain: the last sequence and hash.
SELECT seq, hash FROM entry WHERE space = ? ORDER BY seq DESC LIMIT 1
