// Nodes of one label in order of id, a page at a time, with exactly the schema's properties.
MATCH (x:{label}{scope})
WHERE x.space = $space AND x.id > $after
RETURN x.id AS id, {properties}
ORDER BY x.id
LIMIT $limit
