-- Has sessions read anew of which something is left, and told again.
UPDATE session_state
SET history = NULL, seq = NULL, register = NULL, over = max(over, told), told = 0
WHERE space = :space AND session IN (SELECT value FROM json_each(:sessions))
