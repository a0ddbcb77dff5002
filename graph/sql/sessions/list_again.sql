-- Lists the sessions of a space after a rebuild, so that their ends are looked for again.
INSERT INTO session_state (space, session, last_at)
SELECT space, session, max(at) FROM experience WHERE space = ? AND session IS NOT NULL
GROUP BY session
