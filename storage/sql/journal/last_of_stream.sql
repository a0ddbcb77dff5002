-- The predecessor in a stream: what an entry records about the past.
SELECT id FROM entry INDEXED BY entry_by_stream
WHERE space = ? AND stream = ? ORDER BY seq DESC LIMIT 1
