-- When the newest event happened, as far as is remembered; one dated in the future counts as heard.
SELECT max(min(last_at, heard_at)) FROM session_state WHERE space = ?
