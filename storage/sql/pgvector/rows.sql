-- How many vectors of one length there are, for an index that is trained on them.
SELECT count(*) FROM meridia_vectors WHERE dimension = %(dimension)s
