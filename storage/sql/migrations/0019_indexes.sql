-- What is asked for at every recall is looked up: the newest event of a space, its newest nodes.
CREATE INDEX IF NOT EXISTS session_by_newest ON session_state (space, min(last_at, heard_at));
CREATE INDEX IF NOT EXISTS node_by_number ON node (space, number);
CREATE INDEX IF NOT EXISTS experience_by_speaker ON experience (space, person, seq)
WHERE person IS NOT NULL;
