-- Projections inside the file: experiences, embeddings, adjacency, cursors, traces, recalls.
CREATE TABLE experience (
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    at TEXT NOT NULL,
    person TEXT,
    session TEXT,
    text_hash TEXT NOT NULL,
    words INTEGER NOT NULL,
    traits INTEGER NOT NULL,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE embedding (
    space INTEGER NOT NULL,
    model TEXT NOT NULL,
    text_hash TEXT NOT NULL,
    part INTEGER NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (space, model, text_hash, part)
) STRICT;

CREATE TABLE node (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    space INTEGER NOT NULL,
    label TEXT NOT NULL,
    id TEXT NOT NULL,
    seq INTEGER NOT NULL,
    name TEXT,
    UNIQUE (space, id)
) STRICT;

CREATE TABLE edge (
    space INTEGER NOT NULL,
    type TEXT NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    weight REAL NOT NULL,
    source_seq INTEGER NOT NULL,
    PRIMARY KEY (space, type, source, target)
) STRICT, WITHOUT ROWID;

CREATE INDEX edge_by_seq ON edge (space, source_seq);

CREATE TABLE cursor (
    space INTEGER NOT NULL,
    projection TEXT NOT NULL,
    version INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (space, projection)
) STRICT, WITHOUT ROWID;

CREATE TABLE trace (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    decision TEXT NOT NULL,
    subject TEXT,
    detail TEXT NOT NULL
) STRICT;

CREATE TABLE recall (
    id TEXT PRIMARY KEY,
    space INTEGER NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
