-- When a session went on last, as of the last experience that was read, and whether it is over.
INSERT INTO session_state (space, session, last_at, heard_at, over, told)
VALUES (:space, :session, :last_at, :heard_at, :over, :told)
ON CONFLICT (space, session) DO UPDATE SET
    last_at = excluded.last_at, heard_at = excluded.heard_at, told = excluded.told,
    over = CASE WHEN over >= :until THEN over ELSE excluded.over END
