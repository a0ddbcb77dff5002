// Records how far the projection has come, and which version and engine made it.
MATCH (x:{label} {id: $projection})
SET x.seq = $seq, x.hash = $hash, x.version = $version, x.engine = $engine,
  x.begun = coalesce($begun, x.begun)
RETURN x.seq AS seq
