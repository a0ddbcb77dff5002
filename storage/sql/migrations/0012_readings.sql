-- Entries that are read otherwise than they were written, since their experience was read anew.
CREATE TABLE reading (
    seq INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    shown INTEGER,
    since INTEGER NOT NULL
) STRICT;

CREATE INDEX reading_since ON reading (space, since);
