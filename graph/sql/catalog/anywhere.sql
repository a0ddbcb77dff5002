-- The space in which an id of Meridia's own was captured.
SELECT s.name FROM experience x JOIN entry e ON e.seq = x.seq JOIN space s ON s.number = x.space
WHERE e.id = ?
