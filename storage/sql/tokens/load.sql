-- The token vectors of some experiences, and whether their text is held and may still change.
SELECT t.seq, t.body, t.pieces, h.seq IS NOT NULL
FROM token_vectors t LEFT JOIN provisional h ON h.seq = t.seq
WHERE t.space = ? AND t.model = ? AND t.seq IN (SELECT value FROM json_each(?))
