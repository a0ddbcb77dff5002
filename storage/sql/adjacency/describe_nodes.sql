-- Readable names of some node numbers, for reasons; +space makes it look up by number.
SELECT number, name FROM node
WHERE +space = ? AND number IN (SELECT value FROM json_each(?))
