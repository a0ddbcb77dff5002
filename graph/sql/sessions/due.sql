-- Sessions that are over and not told yet: those that a boundary ended, and those long silent.
SELECT session FROM session_state
WHERE space = :space AND told = 0 AND session <> '' AND (over = 1 OR last_at <= :silent_since)
ORDER BY last_at, session
