-- When the entry at the end of a space's chain was recorded.
SELECT e.recorded_at FROM entry e JOIN space s ON s.number = e.space
WHERE s.number = ? AND e.seq = s.head_seq
