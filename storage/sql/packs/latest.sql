-- The latest packs of a space, newest first: ids grow with time.
SELECT body FROM pack WHERE space = ? ORDER BY id DESC LIMIT ?
