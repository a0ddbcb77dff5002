-- The predecessor in a stream: what an entry records about the past; what was erased is none.
SELECT e.id FROM entry e INDEXED BY entry_by_stream JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.stream = ? ORDER BY e.seq DESC LIMIT 1
