-- Labels and ids of some node numbers; +space as elsewhere.
SELECT number, label, id FROM node
WHERE +space = ? AND number IN (SELECT value FROM json_each(?))
