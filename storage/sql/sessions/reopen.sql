-- Has every session of a space read anew: its register is forgotten, and an end that was told due.
UPDATE session_state SET over = max(over, told), told = 0, register = NULL WHERE space = ?
