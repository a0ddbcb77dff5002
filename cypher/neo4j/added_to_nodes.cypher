// What is on the nodes of a space: labels and properties that are not ours were added by others.
MATCH (x{scope})
WHERE x.space = $space
RETURN labels(x) AS labels, keys(x) AS properties, count(*) AS nodes
