// Removes some nodes of one label by their ids, with all their edges.
UNWIND $ids AS id
MATCH (x:{label}{ours} {key id}){seek x}
WHERE x.space = $space
DETACH DELETE x
RETURN count(*) AS removed
