-- A session's history as of a sequence.
INSERT INTO session_state (space, session, seq, history) VALUES (:space, :session, :seq, :history)
ON CONFLICT (space, session) DO UPDATE SET history = excluded.history, seq = excluded.seq
