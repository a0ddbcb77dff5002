-- Readable names of some node ids, for lists.
SELECT n.id, coalesce(i.shown, n.name)
FROM node n LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
WHERE n.space = ? AND n.id IN (SELECT value FROM json_each(?))
