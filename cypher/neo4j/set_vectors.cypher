// Gives experiences their vectors, by sequence: one scan for all, since sequences have no index.
MATCH (x:Experience{scope})
WHERE x.space = $space AND x.seq > $after AND x.seq <= $until
WITH x, $vectors[toString(x.seq)] AS vector
WHERE vector IS NOT NULL
CALL db.create.setNodeVectorProperty(x, 'embedding', vector)
RETURN count(*) AS written
