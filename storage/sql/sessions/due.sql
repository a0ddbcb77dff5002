-- Sessions that are over and not told yet: ended, silent while others went on, or for long.
SELECT session FROM session_state
WHERE space = :space AND told = 0 AND last_at IS NOT NULL AND (
    over > 0 OR heard_at <= :heard_before
    OR julianday(last_at) <= :silence_days * -1 + (
        SELECT julianday(max(min(last_at, heard_at))) FROM session_state WHERE space = :space))
ORDER BY last_at, session
