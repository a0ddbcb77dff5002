-- The chain's hash at one entry.
SELECT hash FROM entry WHERE space = ? AND seq = ?
