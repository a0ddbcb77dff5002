// Creates or updates nodes that can be recalled: the same as other nodes, with a second label.
UNWIND $rows AS row
MERGE (x:{label} {id: row.id}) ON CREATE SET x += row.defaults
SET x += row.properties
SET x.space = $space
SET x:Memory
