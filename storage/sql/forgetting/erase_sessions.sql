-- Drops what is remembered of sessions of which nothing is left.
DELETE FROM session_state
WHERE space = :space AND session IN (SELECT value FROM json_each(:sessions))
  AND NOT EXISTS (
    SELECT 1 FROM entry e INDEXED BY entry_by_stream
    CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
    WHERE e.space = :space AND e.stream = session_state.session)
