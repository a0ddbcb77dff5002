-- Label and first sequence of some nodes that a plan can name.
SELECT id, label, seq FROM node
WHERE space = ? AND id IN (SELECT value FROM json_each(?))
