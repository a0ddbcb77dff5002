// The cosines of some experiences of a space, without the index.
MATCH (x:Experience{scope})
WHERE x.space = $space AND x.seq IN $among AND x.embedding IS NOT NULL
WITH x, vector.similarity.cosine(x.embedding, $vector) AS score
RETURN x.seq AS seq, score AS score ORDER BY score DESC LIMIT $limit
