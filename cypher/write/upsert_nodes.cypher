// Creates or updates nodes of one label; what a row does not say stays, or is not: not even a name.
UNWIND $rows AS row
MERGE (x:{label} {id: row.id}) ON CREATE SET x.name = null
SET x += row.properties
SET x.space = $space
