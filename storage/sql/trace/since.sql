-- Decisions of one kind since a time, in whatever space.
SELECT at, unpack(detail) FROM trace WHERE kind = ? AND at >= ? ORDER BY number
