-- Lists the sessions of a space after a rebuild, as far as was read, so that their ends are seen.
INSERT INTO session_state (space, session, last_at, heard_at)
SELECT x.space, x.session, max(x.at), max(e.recorded_at)
FROM experience x JOIN entry e ON e.space = x.space AND e.seq = x.seq
WHERE x.space = :space AND x.session IS NOT NULL AND x.seq <= (
    SELECT seq FROM cursor WHERE space = :space AND projection = :reading)
GROUP BY x.session
