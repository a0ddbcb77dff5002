-- Work to try again now, in the order of the journal.
SELECT seq, stage, attempts, due_at, dead, error FROM task
WHERE space = ? AND seq > 0 AND dead = 0 AND due_at <= ? ORDER BY seq, stage
