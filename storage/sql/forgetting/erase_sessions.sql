-- Drops what is remembered of sessions of which nothing is left.
DELETE FROM session_state
WHERE space = :space AND session IN (SELECT value FROM json_each(:sessions))
  AND session NOT IN (SELECT session FROM experience WHERE space = :space AND session IS NOT NULL)
