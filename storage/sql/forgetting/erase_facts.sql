-- Takes what some entries said of facts out of the index.
DELETE FROM fact_entry
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))
