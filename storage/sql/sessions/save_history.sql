-- A session's history as of a sequence, when it last went on, and that its end is not told yet.
INSERT INTO session_state (space, session, last_at, heard_at, seq, history)
VALUES (:space, :session, :at, :heard, :seq, :history)
ON CONFLICT (space, session) DO UPDATE SET history = excluded.history, seq = excluded.seq,
    told = 0, over = 0, heard_at = excluded.heard_at,
    last_at = max(coalesce(last_at, excluded.last_at), excluded.last_at)
