// The nearest vectors of the index that all spaces share; those of this space with their cosine.
CALL db.index.vector.queryNodes('meridia_vectors', $fetch, $vector) YIELD node AS x
WITH x, (x{scope} AND x.space = $space) AS own
WITH x, own, CASE WHEN own THEN vector.similarity.cosine(x.embedding, $vector) END AS score
RETURN x.seq AS seq, score AS score, own AS own
