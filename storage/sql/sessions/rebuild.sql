-- Lists the sessions of a space after a rebuild, so that their ends are looked for again.
INSERT INTO session_state (space, session, last_at, heard_at)
SELECT x.space, x.session, max(x.at), max(e.recorded_at)
FROM experience x JOIN entry e ON e.space = x.space AND e.seq = x.seq
WHERE x.space = ? AND x.session IS NOT NULL GROUP BY x.session
