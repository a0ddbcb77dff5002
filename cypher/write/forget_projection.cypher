// Removes the space's bookkeeping node, after everything that it spoke for.
MATCH (x:{label} {id: $projection})
DETACH DELETE x
RETURN count(*) AS removed
