-- Deletes kept packs.
DELETE FROM pack
WHERE space = :space AND id IN (SELECT value FROM json_each(:answers))
