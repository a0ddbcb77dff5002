// Creates or updates nodes of all labels by key: the labels are parameters, so that one plan does.
UNWIND $rows AS row
MERGE (x:Meridia {node_key: $partition + ':' + row[1]})
ON CREATE SET x += row[3]
SET x += row[2]
SET x.id = row[1], x.space = $space
SET x:$($labels[row[0]])
