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
