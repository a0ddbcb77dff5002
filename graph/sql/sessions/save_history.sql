-- A session after its latest event: its history, when it was, and that its end is not told yet.
INSERT INTO session_state (space, session, last_at, history) VALUES (:space, :session, :at, :history)
ON CONFLICT (space, session) DO UPDATE SET history = excluded.history, told = 0,
    last_at = max(coalesce(last_at, excluded.last_at), coalesce(excluded.last_at, last_at))
