-- Ids and readable names of some node numbers, for edges that are told; +space as elsewhere.
SELECT number, id, name FROM node
WHERE +space = ? AND number IN (SELECT value FROM json_each(?))
