-- The trace stream of a space in order.
SELECT number, at, kind, decision, subject, plain(detail) FROM trace
WHERE space = ? AND number > ? ORDER BY number LIMIT ?
