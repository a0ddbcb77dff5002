-- How the experiences of one session stand, by id.
SELECT x.id, x.status, x.significance FROM entry e
JOIN experience x ON x.space = e.space AND x.seq = e.seq
WHERE e.space = ? AND e.stream = ?
