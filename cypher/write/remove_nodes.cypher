// Removes some nodes of one label with their edges; repeated until none is left.
MATCH (x:{label}{scope})
WHERE x.space = $space
WITH x LIMIT $limit
DETACH DELETE x
RETURN count(*) AS removed
