-- Decisions of one kind in a space, in order: there are few.
SELECT number, at, kind, decision, subject, unpack(detail) FROM trace
WHERE space = ? AND kind = ? ORDER BY number
