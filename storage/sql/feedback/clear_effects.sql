-- Before a rebuild: what memories got.
DELETE FROM feedback_effect WHERE space = ?
