-- Readable names of some node numbers, for reasons; +space makes it look up by number.
SELECT n.number, coalesce(i.shown, n.name)
FROM node n LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
WHERE +n.space = ? AND n.number IN (SELECT value FROM json_each(?))
