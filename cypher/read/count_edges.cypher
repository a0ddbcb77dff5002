// How many edges of one type a space has.
MATCH (a:{source}{scope})-[x:{type}]->(b:{target}{scope})
WHERE x.space = $space
RETURN count(x) AS edges
