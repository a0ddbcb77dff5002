-- Ids and readable names of some node numbers, for edges that are told; +space as elsewhere.
SELECT n.number, n.id, coalesce(i.shown, n.name)
FROM node n LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
WHERE +n.space = ? AND n.number IN (SELECT value FROM json_each(?))
