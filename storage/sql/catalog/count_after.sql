-- How many experiences of a space came after a sequence.
SELECT count(*) FROM experience WHERE space = ? AND seq > ?
