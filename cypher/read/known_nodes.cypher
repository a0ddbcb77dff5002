// Which of some nodes of a label are in the graph.
MATCH (x:{label})
WHERE x.id IN $ids AND x.space = $space
RETURN x.id AS id
