-- Readable names of some node ids, for lists.
SELECT id, name FROM node WHERE space = ? AND id IN (SELECT value FROM json_each(?))
