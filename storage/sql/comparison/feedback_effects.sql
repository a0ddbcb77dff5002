-- What feedback gave memories, to be compared.
SELECT * FROM feedback_effect WHERE space = ? ORDER BY memory, feedback
