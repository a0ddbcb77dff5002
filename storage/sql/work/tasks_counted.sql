-- How much work waits to be tried again, and how much was given up.
SELECT count(*) FILTER (WHERE dead = 0), count(*) FILTER (WHERE dead = 1)
FROM task WHERE space = ? AND seq > 0
