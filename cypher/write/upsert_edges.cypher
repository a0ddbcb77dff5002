// Creates or updates edges of one type and counts them: fewer than rows means an end is missing.
UNWIND $rows AS row
MATCH (a:{source} {id: row.source})
MATCH (b:{target} {id: row.target})
MERGE (a)-[x:{type}]->(b)
SET x += row.properties
SET x.space = $space
RETURN count(*) AS written
