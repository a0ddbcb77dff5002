-- Kept recalls lie close together: by rowid, one of a thousand bytes needs no page of its own.
CREATE TABLE recall_rows (
    id TEXT NOT NULL UNIQUE,
    space INTEGER NOT NULL,
    at TEXT NOT NULL,
    body TEXT NOT NULL
) STRICT;
INSERT INTO recall_rows SELECT id, space, at, body FROM recall ORDER BY id;
DROP TABLE recall;
ALTER TABLE recall_rows RENAME TO recall;
CREATE INDEX recall_by_time ON recall (space, at);
