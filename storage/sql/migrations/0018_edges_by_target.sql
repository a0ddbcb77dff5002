-- What forgetting needs to take out of a space no more than what goes.
CREATE INDEX edge_by_target ON edge (space, target, source_seq);
