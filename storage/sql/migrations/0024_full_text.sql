-- Full text is the terms of each memory, in one table for all spaces; its statistics are a space's.
CREATE TABLE IF NOT EXISTS full_text (
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    terms TEXT NOT NULL,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;
-- Which memories have other terms, or none, since somebody read them.
CREATE TABLE IF NOT EXISTS text_change (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS text_change_by_space ON text_change (space, number);
-- Spaces of an older version, each with tables of its own: taken over when they are asked.
CREATE TABLE IF NOT EXISTS full_text_unmade (space INTEGER PRIMARY KEY) STRICT;
INSERT OR IGNORE INTO full_text_unmade (space) SELECT number FROM space WHERE head_seq > 0;
DELETE FROM cursor WHERE projection = 'search';
