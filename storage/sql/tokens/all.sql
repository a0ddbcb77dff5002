-- The token vectors of every experience of a space with their row, to be checked.
SELECT rowid, body, pieces FROM token_vectors WHERE space = ?
