// Creates or updates nodes of one label by key: the label is a parameter, so that one plan does.
UNWIND $rows AS row
MERGE (x:Meridia {node_key: $partition + ':' + row.id})
SET x += row.properties
SET x.id = row.id, x.space = $space
SET x:$($labels)
