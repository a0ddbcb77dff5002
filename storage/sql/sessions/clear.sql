-- Drops what is remembered of sessions; it is read from the journal again when needed.
DELETE FROM session_state WHERE space = ? AND session <> ''
