-- name: clear
-- Drops what is remembered of sessions; it is read from the journal again when needed.
DELETE FROM session_state WHERE space = ? AND session <> ''

-- name: due
-- Sessions that are over and not told yet: ended, silent while others went on, or for long.
SELECT session FROM session_state
WHERE space = :space AND told = 0 AND last_at IS NOT NULL AND (
    over > 0 OR heard_at <= :heard_before
    OR julianday(last_at) <= :silence_days * -1 + (
        SELECT julianday(max(min(last_at, heard_at))) FROM session_state WHERE space = :space))
ORDER BY last_at, session

-- name: drop
-- Drops what is remembered of some sessions.
DELETE FROM session_state
WHERE space = :space AND session IN (SELECT value FROM json_each(:sessions))

-- name: end
-- Takes a session for over at a sequence, whatever time has passed.
UPDATE session_state SET over = :seq WHERE space = :space AND session = :session

-- name: load_history
-- A session's history, and as of which sequence.
SELECT history, seq FROM session_state WHERE space = ? AND session = ?

-- name: load_register
-- A session's register.
SELECT register FROM session_state WHERE space = ? AND session = ?

-- name: newest
-- When the newest event happened, as far as is remembered; one dated in the future counts as heard.
SELECT max(min(last_at, heard_at)) FROM session_state WHERE space = ?

-- name: open
-- Sessions that go on, as of the last experience that was read.
SELECT session, last_at, heard_at, over FROM session_state
WHERE space = ? AND told = 0 AND last_at IS NOT NULL

-- name: rebuild
-- Lists the sessions of a space after a rebuild, as far as was read, so that their ends are seen.
INSERT INTO session_state (space, session, last_at, heard_at)
SELECT x.space, x.session, max(x.at), max(e.recorded_at)
FROM experience x JOIN entry e ON e.space = x.space AND e.seq = x.seq
WHERE x.space = :space AND x.session IS NOT NULL AND x.seq <= (
    SELECT seq FROM cursor WHERE space = :space AND projection = :reading)
GROUP BY x.session

-- name: rebuild_some
-- Lists some sessions as far as was read; one is told that has an episode after its last event.
INSERT INTO session_state (space, session, last_at, heard_at, told)
SELECT :space, read.session, read.last_at, read.heard_at, EXISTS (
    SELECT 1 FROM entry k INDEXED BY sqlite_autoindex_entry_3
    WHERE k.space = :space AND k.kind = 'EpisodeSynthesised'
      AND k.key >= read.session || '#' AND k.key < read.session || '$' AND k.seq > read.last)
FROM (
    SELECT wanted.value AS session, max(e.at) AS last_at, max(e.recorded_at) AS heard_at,
        max(e.seq) AS last
    FROM json_each(:sessions) wanted
    CROSS JOIN entry e INDEXED BY entry_by_stream ON e.space = :space AND e.stream = wanted.value
    CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
    WHERE e.seq <= (SELECT seq FROM cursor WHERE space = :space AND projection = :reading)
    GROUP BY wanted.value) read

-- name: reopen
-- Has every session of a space read anew; what was told is told again once all of it is read.
UPDATE session_state SET over = CASE WHEN told = 1 OR over > 0 THEN :head ELSE 0 END,
    told = 0, last_at = NULL, heard_at = NULL, register = NULL
WHERE space = :space AND session <> ''

-- name: save_history
-- A session's history as of a sequence.
INSERT INTO session_state (space, session, seq, history) VALUES (:space, :session, :seq, :history)
ON CONFLICT (space, session) DO UPDATE SET history = excluded.history, seq = excluded.seq

-- name: save_open
-- When a session went on last, as of the last experience that was read, and whether it is over.
INSERT INTO session_state (space, session, last_at, heard_at, over, told)
VALUES (:space, :session, :last_at, :heard_at, :over, :told)
ON CONFLICT (space, session) DO UPDATE SET
    last_at = excluded.last_at, heard_at = excluded.heard_at, told = excluded.told,
    over = CASE WHEN over >= :until THEN over ELSE excluded.over END

-- name: save_register
-- The register of one session after its latest enriched experience.
INSERT INTO session_state (space, session, register) VALUES (?, ?, ?)
ON CONFLICT (space, session) DO UPDATE SET register = excluded.register

-- name: touched
-- The sessions that entries after a sequence are of, or about.
SELECT e.stream FROM entry e
WHERE e.space = :space AND e.seq > :after AND e.stream IS NOT NULL
UNION
SELECT x.stream FROM about a CROSS JOIN entry x ON x.space = a.space AND x.seq = a.memory
WHERE a.space = :space AND a.seq > :after AND x.stream IS NOT NULL
