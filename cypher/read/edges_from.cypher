// Edges of one type that leave some nodes, with exactly the schema's properties.
UNWIND $ids AS id
MATCH (a:{source} {id: id})-[x:{type}]->(b:{target})
WHERE x.space = $space
RETURN a.id AS source, b.id AS target, {properties}
