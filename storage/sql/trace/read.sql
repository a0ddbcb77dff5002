-- The trace stream of a space in order.
SELECT number, at, kind, decision, subject, unpack(detail) FROM trace
WHERE space = ? AND number > ? ORDER BY number LIMIT ?
