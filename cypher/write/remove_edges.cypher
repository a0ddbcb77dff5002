// Removes some edges of one type by their ends.
UNWIND $rows AS row
MATCH (a:{source}{ours} {key row.source})-[x:{type}]->(b:{target}{ours} {key row.target}){seek a}
WHERE x.space = $space
DELETE x
RETURN count(*) AS removed
