-- One stage of one entry went wrong once more; its count and its next time are handed in.
INSERT INTO task (space, seq, stage, attempts, due_at, dead, error)
VALUES (:space, :seq, :stage, :attempts, :due_at, :dead, :error)
ON CONFLICT (space, seq, stage) DO UPDATE SET
    attempts = excluded.attempts,
    due_at = excluded.due_at,
    dead = excluded.dead,
    error = excluded.error
