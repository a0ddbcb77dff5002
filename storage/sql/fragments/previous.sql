-- The predecessor of an entry `e` in its stream: of what was erased, the one before that stays.
CASE WHEN e.previous IS NULL OR EXISTS (
    SELECT 1 FROM entry b JOIN payload q ON q.seq = b.seq WHERE b.id = e.previous)
THEN e.previous ELSE (
    SELECT b.id FROM entry b INDEXED BY entry_by_stream JOIN payload q ON q.seq = b.seq
    WHERE b.space = e.space AND b.stream = e.stream AND b.seq < e.seq
    ORDER BY b.seq DESC LIMIT 1) END
