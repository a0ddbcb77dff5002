-- Erases what entries said; their headers stay, and the chain with them.
DELETE FROM payload
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))
