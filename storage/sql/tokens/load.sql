-- The token vectors of some experiences.
SELECT seq, body FROM token_vectors
WHERE space = ? AND model = ? AND seq IN (SELECT value FROM json_each(?))
