-- Erases vectors of texts that no memory says any more, of every model.
DELETE FROM embedding
WHERE space = :space AND (:everything OR text_hash IN (SELECT value FROM json_each(:hashes)))
  AND (:everything OR model IN (
    WITH RECURSIVE model (name) AS (
        SELECT min(model) FROM embedding WHERE space = :space
        UNION
        SELECT (SELECT min(e.model) FROM embedding e WHERE e.space = :space AND e.model > m.name)
        FROM model m WHERE m.name IS NOT NULL)
    SELECT name FROM model))
  AND NOT EXISTS (
    SELECT 1 FROM experience x WHERE x.space = :space AND x.text_hash = embedding.text_hash)
