-- What is remembered of one session between two events: history and register.
SELECT history, register FROM session_state WHERE space = ? AND session = ?
