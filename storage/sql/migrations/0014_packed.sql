-- Smaller rows: derived texts are bytes that `unpack` reads, and types of edges have numbers.
-- Of token vectors that are packed, `pieces` is how many there are; NULL where they are as before.
CREATE TABLE payload_rows (
    seq INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    salt BLOB NOT NULL,
    body ANY NOT NULL
) STRICT;
INSERT INTO payload_rows SELECT seq, space, salt, body FROM payload;
DROP TABLE payload;
ALTER TABLE payload_rows RENAME TO payload;
CREATE TRIGGER payload_is_never_changed BEFORE UPDATE ON payload
BEGIN SELECT raise(ABORT, 'a payload is erased, never changed'); END;

CREATE TABLE trace_rows (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    decision TEXT NOT NULL,
    subject TEXT,
    detail ANY NOT NULL
) STRICT;
INSERT INTO trace_rows SELECT number, space, at, kind, decision, subject, detail FROM trace;
DROP TABLE trace;
ALTER TABLE trace_rows RENAME TO trace;

ALTER TABLE token_vectors ADD COLUMN pieces INTEGER;

CREATE TABLE edge_type (
    space INTEGER NOT NULL,
    name TEXT NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (space, name)
) STRICT, WITHOUT ROWID;
INSERT INTO edge_type SELECT space, type, row_number() OVER (PARTITION BY space ORDER BY type)
FROM edge GROUP BY space, type;
CREATE TABLE edge_rows (
    space INTEGER NOT NULL,
    type INTEGER NOT NULL,
    source INTEGER NOT NULL,
    target INTEGER NOT NULL,
    weight REAL NOT NULL,
    source_seq INTEGER NOT NULL,
    PRIMARY KEY (space, type, source, target)
) STRICT, WITHOUT ROWID;
INSERT INTO edge_rows
SELECT e.space, t.number, e.source, e.target, e.weight, e.source_seq
FROM edge e JOIN edge_type t ON t.space = e.space AND t.name = e.type;
DROP TABLE edge;
ALTER TABLE edge_rows RENAME TO edge;
CREATE INDEX edge_by_seq ON edge (space, source_seq);

ALTER TABLE recall ADD COLUMN inputs BLOB;
