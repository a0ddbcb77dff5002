-- Takes a session for ended, whatever time has passed: a boundary says so.
UPDATE session_state SET over = 1 WHERE space = ? AND session = ?
