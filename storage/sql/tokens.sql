-- name: add
-- Records the token vectors of one experience; a later version of the pass overwrites them.
INSERT OR REPLACE INTO token_vectors (space, model, seq, body, pieces, checksum)
VALUES (?, ?, ?, ?, ?, ?)

-- name: all
-- The token vectors of every experience of a space with their row, and whether they are whole.
SELECT rowid, body, pieces, checksum IS checksum(body) FROM token_vectors WHERE space = ?

-- name: drop
-- Drops damaged token vectors: they are made again.
DELETE FROM token_vectors WHERE +space = ? AND rowid = ?

-- name: erase
-- Erases the token vectors of one experience, whose text is another from now on, model by model.
WITH RECURSIVE known (model) AS (
    SELECT min(model) FROM token_vectors WHERE space = :space
    UNION ALL
    SELECT (SELECT min(model) FROM token_vectors WHERE space = :space AND model > known.model)
    FROM known WHERE known.model IS NOT NULL)
DELETE FROM token_vectors
WHERE space = :space AND model IN (SELECT model FROM known) AND seq = :seq

-- name: load
-- The token vectors of some experiences, and whether their text is held and may still change.
SELECT t.seq, t.body, t.pieces, h.seq IS NOT NULL
FROM token_vectors t LEFT JOIN provisional h ON h.seq = t.seq
WHERE t.space = ? AND t.model = ? AND t.seq IN (SELECT value FROM json_each(?))
