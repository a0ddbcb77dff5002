-- name: add
-- Records one vector; the first one recorded for a text stands.
INSERT OR IGNORE INTO embedding (space, model, text_hash, part, vector, checksum)
VALUES (?, ?, ?, ?, ?, ?)

-- name: all
-- Every vector of a space with its row, and whether it is as it was recorded.
SELECT rowid, vector, checksum IS checksum(vector) FROM embedding WHERE space = ?

-- name: drop
-- Drops the vectors of a text of which one is damaged: all of them are made again.
DELETE FROM embedding WHERE (space, model, text_hash) =
    (SELECT space, model, text_hash FROM embedding WHERE +space = ? AND rowid = ?)

-- name: embedded_hashes
-- Which of some texts are embedded already.
SELECT DISTINCT text_hash FROM embedding
WHERE space = ? AND model = ? AND text_hash IN (SELECT value FROM json_each(?))

-- name: erase
-- Erases the vectors of a text that no experience says any more, model by model.
WITH RECURSIVE known (model) AS (
    SELECT min(model) FROM embedding WHERE space = :space
    UNION ALL
    SELECT (SELECT min(model) FROM embedding WHERE space = :space AND model > known.model)
    FROM known WHERE known.model IS NOT NULL)
DELETE FROM embedding
WHERE space = :space AND model IN (SELECT model FROM known) AND text_hash = :text_hash
AND NOT EXISTS (SELECT 1 FROM experience WHERE space = :space AND text_hash = :text_hash)

-- name: load
-- Vectors of a run of experiences, in journal order; a long text has several parts.
SELECT x.seq, v.vector FROM experience x
JOIN embedding v ON v.space = x.space AND v.model = ?2 AND v.text_hash = x.text_hash
WHERE x.space = ?1 AND x.seq > ?3 AND x.seq <= ?4 ORDER BY x.seq, v.part

-- name: models
-- Whether a space has vectors of a model, and some model that it has vectors of.
SELECT EXISTS (SELECT 1 FROM embedding WHERE space = :space AND model = :model),
       (SELECT model FROM embedding WHERE space = :space LIMIT 1)

-- name: of_texts
-- Vectors of some texts, whoever says or asks them; a long text has several parts.
SELECT text_hash, vector FROM embedding
WHERE space = ? AND model = ? AND text_hash IN (SELECT value FROM json_each(?))
ORDER BY text_hash, part
