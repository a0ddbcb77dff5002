-- What was taken out of the adjacency or put in anew, for who holds it as arrays.
-- An edge that may be another now; without a type, a node that went; of node 0, all of it.
CREATE TABLE IF NOT EXISTS graph_change (
    number INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    type INTEGER,
    source INTEGER NOT NULL,
    target INTEGER
) STRICT;
CREATE INDEX IF NOT EXISTS graph_change_by_space ON graph_change (space, number);
