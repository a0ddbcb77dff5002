-- Makes all work that went wrong due, as if it had never been tried.
UPDATE task SET attempts = 0, dead = 0, due_at = ? WHERE space = ? AND seq > 0
