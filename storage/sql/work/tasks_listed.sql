-- Work that waits to be tried again (0), or that was given up (1), in the order of the journal.
SELECT seq, stage, attempts, due_at, dead, error FROM task
WHERE space = ? AND seq > 0 AND dead = ? ORDER BY seq, stage
