-- Sessions that are not told yet.
SELECT session FROM session_state WHERE space = ? AND told = 0 AND session <> '' ORDER BY session
