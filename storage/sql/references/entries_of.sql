-- The entries about one memory, and its own.
SELECT seq FROM entry WHERE space = ?1 AND id = ?2
UNION SELECT a.seq FROM entry m CROSS JOIN about a ON a.space = m.space AND a.memory = m.seq
WHERE m.space = ?1 AND m.id = ?2 ORDER BY 1
