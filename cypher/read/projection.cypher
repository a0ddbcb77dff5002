// How far the projection of a space has come, and which version and engine made it.
MATCH (x:{label} {id: $projection})
RETURN x.seq AS seq, x.hash AS hash, x.version AS version, x.engine AS engine, x.begun AS begun
