// How many edges of one type a space has.
MATCH (a:{source})-[x:{type}]->(b:{target})
WHERE x.space = $space
RETURN count(x) AS edges
