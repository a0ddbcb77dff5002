-- Erases the held events of some memories.
DELETE FROM provisional
WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))
