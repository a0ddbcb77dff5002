-- The newest memories of a space by when they happened are the end of an index.
CREATE INDEX IF NOT EXISTS experience_by_time ON experience (space, at, seq);
