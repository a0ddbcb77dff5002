// Removes the space's bookkeeping node, after everything that it spoke for.
MATCH (x:{label} {id: $space})
DETACH DELETE x
RETURN count(*) AS removed
