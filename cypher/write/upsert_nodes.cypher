// Creates or updates nodes of one label; what a row does not say stays.
UNWIND $rows AS row
MERGE (x:{label} {id: row.id}) ON CREATE SET x += row.defaults
SET x += row.properties
SET x.space = $space
