// Creates or updates nodes of one label; properties that a row does not name stay as they are.
UNWIND $rows AS row
MERGE (x:{label} {id: row.id})
SET x += row.properties
SET x.space = $space
