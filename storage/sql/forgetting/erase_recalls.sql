-- Deletes kept recalls.
DELETE FROM recall
WHERE space = :space AND id IN (SELECT value FROM json_each(:answers))
