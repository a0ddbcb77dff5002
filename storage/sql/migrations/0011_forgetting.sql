-- What was forgotten in a space, whether that is finished, and the key that receipts are made with.
CREATE TABLE forgetting (
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    unfinished INTEGER NOT NULL,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
