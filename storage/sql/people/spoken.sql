-- Everybody who ever spoke, by the name that was first given.
SELECT user_id, display_name FROM relationship WHERE space = ?
