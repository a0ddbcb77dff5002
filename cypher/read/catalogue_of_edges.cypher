// Which properties a space's edges have, by type; "" counts the edges themselves.
MATCH (x{scope})-[r]->(y{scope})
WHERE x.space = $space
UNWIND [name IN keys(r) WHERE NOT name IN $hidden] + [""] AS property
RETURN type(r) AS type, property AS property, count(*) AS times, max(r[property]) AS example
