-- The sequence of a memory.
SELECT seq FROM entry WHERE space = ? AND id = ?
