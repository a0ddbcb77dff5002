-- When the newest event of any session happened, as far as is remembered.
SELECT max(last_at) FROM session_state WHERE space = ?
