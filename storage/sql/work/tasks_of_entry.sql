-- What went wrong with one entry, by stage.
SELECT seq, stage, attempts, due_at, dead, error FROM task
WHERE space = ? AND seq = ? ORDER BY stage
