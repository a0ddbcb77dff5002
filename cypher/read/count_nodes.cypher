// How many nodes of one label a space has.
MATCH (x:{label}{scope})
WHERE x.space = $space
RETURN count(x) AS nodes
