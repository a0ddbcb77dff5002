// Creates edges that are not there yet, and counts them; each node is looked up once for all.
UNWIND range(0, size($ids) - 1) AS place
MATCH (n:Meridia {node_key: $partition + ':' + $ids[place]})
USING INDEX SEEK n:Meridia(node_key)
WITH n ORDER BY place
WITH collect(n) AS nodes
WHERE size(nodes) = size($ids)
UNWIND $rows AS row
WITH nodes[row[1]] AS a, nodes[row[2]] AS b, row
CREATE (a)-[x:$($types[row[0]])]->(b)
SET x = {since: $times[row[3]], source_seq: row[4], weight: row[5],
         kind: row[6], space: $space, partition: $partition}
RETURN count(*) AS written
