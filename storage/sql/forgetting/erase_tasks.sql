-- Takes back the work that is to be done on some entries.
DELETE FROM task
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))
