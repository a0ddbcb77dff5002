-- The space in which an id of Meridia's own was captured.
SELECT s.name FROM entry e JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN space s ON s.number = e.space WHERE e.id = ?
