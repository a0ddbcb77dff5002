-- name: holder
-- Who holds a lease.
SELECT owner FROM lease WHERE space = ? AND work = ?

-- name: largest_lag
-- How far the space that lags most is behind, by one projection.
SELECT max(s.head_seq - coalesce(c.seq, 0)) FROM space s
LEFT JOIN cursor c ON c.space = s.number AND c.projection = ? AND c.version = ?

-- name: leases
-- Who holds the leases of a space, and until when.
SELECT work, owner, until FROM lease WHERE space = ? ORDER BY work

-- name: release
-- Gives a lease back.
DELETE FROM lease WHERE space = ? AND work = ? AND owner = ?

-- name: state
-- Where a space stands: its journal's end, every cursor, and whether time has made something due.
SELECT s.head_seq, s.head_hash,
    (SELECT json_group_object(projection, json_array(version, seq)) FROM cursor
        WHERE space = :space),
    EXISTS (SELECT 1 FROM task WHERE space = :space AND seq > 0 AND dead = 0 AND due_at <= :now)
    OR EXISTS (SELECT 1 FROM provisional WHERE space = :space AND expires_at <= :now)
    OR EXISTS (SELECT 1 FROM session_state
        WHERE space = :space AND told = 0 AND last_at IS NOT NULL AND (
            over > 0 OR heard_at <= :heard_before
            OR julianday(last_at) <= :silence_days * -1 + (
                SELECT julianday(max(min(last_at, heard_at))) FROM session_state
                WHERE space = :space)))
FROM space s WHERE s.number = :space

-- name: take
-- Takes a lease that is free, our own, over, or from a clock that ran ahead; else nothing changes.
INSERT INTO lease (space, work, owner, until) VALUES (:space, :work, :owner, :until)
ON CONFLICT (space, work) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE owner = excluded.owner OR until < :now OR until > :latest

-- name: task_done
-- One stage of one entry is done, or no longer needed.
DELETE FROM task WHERE space = ? AND seq = ? AND stage = ?

-- name: task_failed
-- One stage of one entry went wrong once more; its count and its next time are handed in.
INSERT INTO task (space, seq, stage, attempts, due_at, dead, error)
VALUES (:space, :seq, :stage, :attempts, :due_at, :dead, :error)
ON CONFLICT (space, seq, stage) DO UPDATE SET
    attempts = excluded.attempts,
    due_at = excluded.due_at,
    dead = excluded.dead,
    error = excluded.error

-- name: tasks_counted
-- How much work waits to be tried again, and how much was given up.
SELECT count(*) FILTER (WHERE dead = 0), count(*) FILTER (WHERE dead = 1)
FROM task WHERE space = ? AND seq > 0

-- name: tasks_due
-- Work to try again now, in the order of the journal.
SELECT seq, stage, attempts, due_at, dead, error FROM task
WHERE space = ? AND seq > 0 AND dead = 0 AND due_at <= ? ORDER BY seq, stage

-- name: tasks_listed
-- Work that waits to be tried again (0), or that was given up (1), in the order of the journal.
SELECT seq, stage, attempts, due_at, dead, error FROM task
WHERE space = ? AND seq > 0 AND dead = ? ORDER BY seq, stage

-- name: tasks_of_entry
-- What went wrong with one entry, by stage.
SELECT seq, stage, attempts, due_at, dead, error FROM task
WHERE space = ? AND seq = ? ORDER BY stage

-- name: tasks_retried
-- Makes all work that went wrong due, as if it had never been tried.
UPDATE task SET attempts = 0, dead = 0, due_at = :due_at WHERE space = :space AND seq > 0
