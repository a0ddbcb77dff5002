-- Sessions that go on, as of the last experience that was read.
SELECT session, last_at, heard_at, over FROM session_state
WHERE space = ? AND told = 0 AND last_at IS NOT NULL
