-- Removes some nodes, after their edges.
DELETE FROM node WHERE number IN (SELECT value FROM json_each(?)) AND +space = ?
