-- The numbers of some node ids.
SELECT id, number FROM node WHERE space = ? AND id IN (SELECT value FROM json_each(?))
