// Which of some nodes of a label are in the graph.
UNWIND $ids AS id
MATCH (x:{label}{ours} {key id}){seek x}
WHERE x.space = $space
RETURN x.id AS id
