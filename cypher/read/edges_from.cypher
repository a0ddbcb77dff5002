// Edges of one type that leave some nodes, with exactly the schema's properties.
UNWIND $ids AS id
MATCH (a:{source}{ours} {key id})-[x:{type}]->(b:{target}{ours}){seek a}
WHERE x.space = $space
RETURN a.id AS source, b.id AS target, {properties}
