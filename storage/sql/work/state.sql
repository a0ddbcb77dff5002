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
