-- One vector of one experience; the same again changes nothing.
INSERT INTO meridia_vectors (
    partition, seq, chunk, space, id, kind, at, person, session, significance, engagement, valence,
    content, model, dimension, embedding)
VALUES (
    %(partition)s, %(seq)s, %(chunk)s, %(space)s, %(id)s, %(kind)s, %(at)s, %(person)s, %(session)s,
    %(significance)s, %(engagement)s, %(valence)s, %(content)s, %(model)s, %(dimension)s,
    %(embedding)s)
ON CONFLICT (partition, seq, chunk) DO UPDATE SET
    space = excluded.space, id = excluded.id, kind = excluded.kind, at = excluded.at,
    person = excluded.person, session = excluded.session,
    significance = excluded.significance, engagement = excluded.engagement,
    valence = excluded.valence, content = excluded.content, model = excluded.model,
    dimension = excluded.dimension, embedding = excluded.embedding
