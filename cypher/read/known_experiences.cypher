// Which of some experiences are in the graph.
MATCH (x:Experience)
WHERE x.id IN $ids AND x.space = $space
RETURN x.id AS id
