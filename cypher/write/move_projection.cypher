// Records how far the projection has come, and which version and engine made it.
MATCH (x:{label} {id: $space})
SET x.seq = $seq, x.version = $version, x.engine = $engine
RETURN x.seq AS seq
