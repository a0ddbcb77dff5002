// What is on the edges at a space's nodes: edges and properties that are not ours are of others.
MATCH (x{scope})-[r]-()
WHERE x.space = $space
RETURN coalesce(r.partition = $partition, false) AS own, keys(r) AS properties,
       count(DISTINCT r) AS edges
