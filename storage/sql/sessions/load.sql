-- What is remembered of one session: history, as of which sequence, and register.
SELECT history, seq, register FROM session_state WHERE space = ? AND session = ?
