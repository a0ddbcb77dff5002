-- What became known of an experience after its vectors were written.
UPDATE meridia_vectors
SET significance = %(significance)s, engagement = %(engagement)s, valence = %(valence)s
WHERE partition = %(partition)s AND seq = %(seq)s
