-- Drops what was about some memories.
DELETE FROM about
WHERE space = :space AND memory IN (SELECT value FROM json_each(:seqs))
