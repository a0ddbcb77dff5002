// Creates nodes of all labels that are not there yet.
UNWIND $rows AS row
CREATE (x:$($labels[row[0]]) {node_key: $partition + ':' + row[1]})
SET x += row[3]
SET x += row[2]
SET x.id = row[1], x.space = $space
