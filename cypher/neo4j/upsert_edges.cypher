// Creates or updates edges and counts them. MERGE would be planned as a scan at first.
UNWIND $rows AS row
MATCH (a:Meridia {node_key: $partition + ':' + row.source})
USING INDEX SEEK a:Meridia(node_key)
MATCH (b:Meridia {node_key: $partition + ':' + row.target})
USING INDEX SEEK b:Meridia(node_key)
OPTIONAL MATCH (a)-[found*1..1]->(b)
WHERE type(found[0]) = row.type AND found[0].partition = $partition
CALL (a, b, found, row) {
  WITH found WHERE found IS NOT NULL
  RETURN found[0] AS x
UNION
  WITH a, b, found, row WHERE found IS NULL
  CREATE (a)-[x:$(row.type)]->(b)
  RETURN x
}
SET x += row.properties
SET x.space = $space, x.partition = $partition
RETURN count(*) AS written
