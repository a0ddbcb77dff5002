// Makes the space's bookkeeping node, or locks the one there is until the transaction ends.
MERGE (x:{label} {id: $projection})
ON CREATE SET x.seq = 0, x.hash = "", x.version = $version, x.engine = $engine
SET x.claimed = true, x.space = $space
RETURN x.seq AS seq, x.hash AS hash, x.version AS version, x.engine AS engine, x.begun AS begun
