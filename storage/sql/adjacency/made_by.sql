-- Of some nodes, those that some entries were the first to name.
SELECT number, label, id FROM node
WHERE space = ? AND id IN (SELECT value FROM json_each(?))
  AND seq IN (SELECT value FROM json_each(?))
ORDER BY +number
