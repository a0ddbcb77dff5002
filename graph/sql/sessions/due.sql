-- Sessions that may be over and are not told yet: ended by a boundary, or long silent.
SELECT session, over FROM session_state
WHERE space = :space AND told = 0 AND session <> '' AND (over = 1 OR last_at <= :silent_since)
ORDER BY last_at, session
