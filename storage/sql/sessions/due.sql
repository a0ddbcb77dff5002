-- Sessions that may be over and are not told yet: ended, silent while others went on, or for long.
SELECT session, over FROM session_state
WHERE space = :space AND told = 0 AND session <> '' AND (
    over = 1 OR heard_at <= :heard_before
    OR julianday(last_at) <= :silence_days * -1 + (
        SELECT max(julianday(min(last_at, heard_at))) FROM session_state WHERE space = :space))
ORDER BY last_at, session
