-- Erases the token vectors of one experience, whose text is another from now on, model by model.
WITH RECURSIVE known (model) AS (
    SELECT min(model) FROM token_vectors WHERE space = :space
    UNION ALL
    SELECT (SELECT min(model) FROM token_vectors WHERE space = :space AND model > known.model)
    FROM known WHERE known.model IS NOT NULL)
DELETE FROM token_vectors
WHERE space = :space AND model IN (SELECT model FROM known) AND seq = :seq
