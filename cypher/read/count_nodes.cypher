// How many nodes of one label a space has.
MATCH (x:{label})
WHERE x.space = $space
RETURN count(x) AS nodes
