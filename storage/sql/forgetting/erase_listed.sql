-- Takes some memories off the list.
DELETE FROM experience
WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))
