-- A session that went on later than was remembered.
UPDATE session_state SET last_at = ?, heard_at = ? WHERE space = ? AND session = ?
