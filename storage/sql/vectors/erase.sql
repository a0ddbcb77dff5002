-- Erases the vectors of a text that no experience says any more, model by model.
WITH RECURSIVE known (model) AS (
    SELECT min(model) FROM embedding WHERE space = :space
    UNION ALL
    SELECT (SELECT min(model) FROM embedding WHERE space = :space AND model > known.model)
    FROM known WHERE known.model IS NOT NULL)
DELETE FROM embedding
WHERE space = :space AND model IN (SELECT model FROM known) AND text_hash = :text_hash
AND NOT EXISTS (SELECT 1 FROM experience WHERE space = :space AND text_hash = :text_hash)
