// Records how far the vectors of a space have come, and which model made them.
MATCH (x:{label} {id: $projection})
SET x.vectors_seq = $seq, x.vectors_model = $model
RETURN x.vectors_seq AS seq
