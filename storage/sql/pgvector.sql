-- name: count
-- How many experiences of a space are there.
SELECT count(DISTINCT seq) FROM meridia_vectors WHERE partition = %(partition)s

-- name: create
-- The vectors of any number of journals and spaces; every row carries both. Made once.
SELECT pg_advisory_xact_lock(hashtext('meridia_vectors'));
CREATE EXTENSION IF NOT EXISTS vector;
CREATE TABLE IF NOT EXISTS meridia_vectors (
    partition text NOT NULL,
    seq bigint NOT NULL,
    chunk int NOT NULL,
    space text NOT NULL,
    id text NOT NULL,
    kind text NOT NULL,
    at timestamptz NOT NULL,
    person text,
    session text,
    significance real,
    engagement text,
    valence real,
    content text NOT NULL,
    model text NOT NULL,
    dimension int NOT NULL,
    embedding halfvec NOT NULL,
    PRIMARY KEY (partition, seq, chunk)
)

-- name: digest
-- One value for all rows of a space, the same for the same rows.
SELECT md5(coalesce(string_agg(md5(v::text), '' ORDER BY seq, chunk), ''))
FROM meridia_vectors v WHERE partition = %(partition)s

-- name: drop
-- Removes all rows of one space of one journal.
DELETE FROM meridia_vectors WHERE partition = %(partition)s

-- name: drop_index
-- Removes the index of a kind that the settings name no more.
DROP INDEX IF EXISTS meridia_vectors_{kind}_{dimension}

-- name: forget
-- Removes what came from runs of journal sequences.
DELETE FROM meridia_vectors USING unnest(%(first)s::bigint[], %(last)s::bigint[]) AS run (a, b)
WHERE partition = %(partition)s AND seq BETWEEN run.a AND run.b

-- name: index_hnsw
-- Finds near vectors of one length quickly, without training.
CREATE INDEX IF NOT EXISTS meridia_vectors_hnsw_{dimension} ON meridia_vectors
USING hnsw ((embedding::halfvec({dimension})) halfvec_cosine_ops) WHERE dimension = {dimension}

-- name: index_ivfflat
-- Finds near vectors of one length quickly; smaller than hnsw, and trained on what is there.
CREATE INDEX IF NOT EXISTS meridia_vectors_ivfflat_{dimension} ON meridia_vectors
USING ivfflat ((embedding::halfvec({dimension})) halfvec_cosine_ops)
WITH (lists = {lists}) WHERE dimension = {dimension}

-- name: installed
-- Which pgvector is installed, and whether our table is there.
SELECT (SELECT extversion FROM pg_extension WHERE extname = 'vector'),
    to_regclass('meridia_vectors') IS NOT NULL

-- name: judge
-- What became known of an experience after its vectors were written.
UPDATE meridia_vectors
SET significance = %(significance)s, engagement = %(engagement)s, valence = %(valence)s
WHERE partition = %(partition)s AND seq = %(seq)s

-- name: limit
-- How long one statement of this connection may take, milliseconds; 0: as long as it needs.
SELECT set_config('statement_timeout', %(ms)s, false)

-- name: rows
-- How many vectors of one length there are, for an index that is trained on them.
SELECT count(*) FROM meridia_vectors WHERE dimension = %(dimension)s

-- name: search
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

-- name: tune
-- How far an index looks for one question: far enough for what is asked, and on past filters.
SELECT set_config('hnsw.ef_search', %(ef)s, true),
    set_config('hnsw.iterative_scan', 'relaxed_order', true),
    set_config('ivfflat.probes', %(probes)s, true),
    set_config('ivfflat.iterative_scan', 'relaxed_order', true)

-- name: upsert
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

-- name: vacuum
-- Takes removed rows out of the table's pages and out of its indexes.
VACUUM meridia_vectors
