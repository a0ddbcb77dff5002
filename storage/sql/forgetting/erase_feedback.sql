-- Takes feedback out of its table.
DELETE FROM reconstitution_feedback
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))
