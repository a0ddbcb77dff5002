-- The nearest experiences of one space by the best of their vectors, with filters.
SELECT seq, max(score) AS best FROM (
    SELECT seq, 1 - (embedding::halfvec({dimension}) <=> %(vector)s) AS score
    FROM meridia_vectors
    WHERE dimension = {dimension} AND partition = %(partition)s AND model = %(model)s
      AND seq <= %(until)s
      AND (%(among)s::bigint[] IS NULL OR seq = ANY(%(among)s::bigint[]))
      AND (%(session)s::text IS NULL OR session = %(session)s::text)
      AND (%(significance_min)s::real IS NULL OR significance >= %(significance_min)s::real)
      AND (%(engagement)s::text IS NULL OR engagement = %(engagement)s::text)
      AND (%(valence_min)s::real IS NULL OR valence >= %(valence_min)s::real)
      AND (%(valence_max)s::real IS NULL OR valence <= %(valence_max)s::real)
    ORDER BY embedding::halfvec({dimension}) <=> %(vector)s LIMIT %(rows)s) AS near
GROUP BY seq ORDER BY best DESC, seq LIMIT %(limit)s
