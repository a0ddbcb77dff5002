-- Packs that were given: how each was asked for and what it cited, but none of its text.
CREATE TABLE pack (
    id TEXT PRIMARY KEY,
    space INTEGER NOT NULL,
    at TEXT NOT NULL,
    mode TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX pack_by_space ON pack (space, at);
