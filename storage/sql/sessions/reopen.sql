-- Has every session of a space read anew; what was told is told again once all of it is read.
UPDATE session_state SET over = CASE WHEN told = 1 OR over > 0 THEN :head ELSE 0 END,
    told = 0, last_at = NULL, heard_at = NULL, register = NULL
WHERE space = :space AND session <> ''
