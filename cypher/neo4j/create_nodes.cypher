// Creates nodes of one label that are not there yet.
UNWIND $rows AS row
CREATE (x:$($labels) {node_key: $partition + ':' + row.id})
SET x += row.properties
SET x.id = row.id, x.space = $space
