// Removes the vectors of a space: those of another model are never compared.
MATCH (x:Experience{scope})
WHERE x.space = $space AND x.embedding IS NOT NULL
REMOVE x.embedding
RETURN count(*) AS removed
