-- Removes the edges that some entries made, and says which.
DELETE FROM edge WHERE space = ? AND source_seq IN (SELECT value FROM json_each(?))
RETURNING type, source, target
