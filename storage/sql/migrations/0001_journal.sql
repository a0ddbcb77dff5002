-- The truth: spaces, chained entries, and payloads apart, so that erasing one keeps the chain.
CREATE TABLE space (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL,
    head_seq INTEGER NOT NULL DEFAULT 0,
    head_hash BLOB NOT NULL DEFAULT (zeroblob(32))
) STRICT;

CREATE TABLE entry (
    space INTEGER NOT NULL REFERENCES space (number),
    seq INTEGER NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL UNIQUE,
    key TEXT NOT NULL,
    stream TEXT,
    previous TEXT,
    at TEXT NOT NULL,
    recorded_at TEXT NOT NULL,
    payload_hash BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (space, seq),
    UNIQUE (space, kind, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX entry_by_stream ON entry (space, stream, seq) WHERE stream IS NOT NULL;

CREATE TABLE payload (
    seq INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    salt BLOB NOT NULL,
    body TEXT NOT NULL
) STRICT;

CREATE TRIGGER entry_is_never_changed BEFORE UPDATE ON entry
BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER entry_is_never_removed BEFORE DELETE ON entry
BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;

CREATE TRIGGER payload_is_never_changed BEFORE UPDATE ON payload
BEGIN SELECT raise(ABORT, 'a payload is erased, never changed'); END;
