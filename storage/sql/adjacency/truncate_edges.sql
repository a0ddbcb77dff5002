-- Takes the adjacency back to where it was before a sequence: the edges made since.
DELETE FROM edge WHERE space = ? AND source_seq >= ?
