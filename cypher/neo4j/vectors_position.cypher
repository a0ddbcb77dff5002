// How far the vectors of a space have come, and which model made them.
MATCH (x:{label} {id: $projection})
RETURN x.vectors_seq AS seq, x.vectors_model AS model
