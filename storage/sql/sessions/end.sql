-- Takes a session for over at a sequence, whatever time has passed.
UPDATE session_state SET over = ? WHERE space = ? AND session = ?
