-- Whether a space has vectors of a model, and some model that it has vectors of.
SELECT EXISTS (SELECT 1 FROM embedding WHERE space = :space AND model = :model),
       (SELECT model FROM embedding WHERE space = :space LIMIT 1)
