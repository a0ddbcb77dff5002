// Which properties a space's nodes have, by labels; "" counts the nodes themselves.
MATCH (x{scope})
WHERE x.space = $space
UNWIND [name IN keys(x) WHERE NOT name IN $hidden] + [""] AS property
RETURN labels(x) AS labels, property AS property, count(*) AS times, max(x[property]) AS example
