-- Removes what came from runs of journal sequences.
DELETE FROM meridia_vectors USING unnest(%(first)s::bigint[], %(last)s::bigint[]) AS run (a, b)
WHERE partition = %(partition)s AND seq BETWEEN run.a AND run.b
