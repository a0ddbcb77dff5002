-- What forgetting needs to take out of a space no more than what goes.
CREATE INDEX IF NOT EXISTS edge_by_target ON edge (space, target, source_seq);
