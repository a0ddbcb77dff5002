-- How many experiences of a space are there.
SELECT count(DISTINCT seq) FROM meridia_vectors WHERE partition = %(partition)s
