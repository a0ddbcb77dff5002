-- Erases the token vectors of some memories, of every model.
DELETE FROM token_vectors
WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))
