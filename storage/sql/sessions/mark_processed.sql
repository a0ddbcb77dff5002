-- Marks the end of a session as told; the next event opens it again.
UPDATE session_state SET told = 1, over = 0 WHERE space = ? AND session = ?
