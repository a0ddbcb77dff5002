// One hop of activation: the edges of some nodes, counted; those of a larger hub are not listed.
UNWIND $ids AS id
MATCH (a{any_of_ours} {key id})-[x]-(b){seek a}
WHERE x.space = $space AND x.source_seq <= $until
  AND ((type(x) IN $along AND startNode(x).id = a.id)
    OR (type(x) IN $against AND endNode(x).id = a.id))
WITH id, collect([type(x), startNode(x).id = a.id, b.id, x.weight]) AS edges
RETURN id, size(edges) AS fan_out,
  CASE WHEN size(edges) > $fan_out_max THEN [] ELSE edges END AS listed
