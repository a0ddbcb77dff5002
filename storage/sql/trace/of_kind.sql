-- Decisions of one kind in a space, in order: there are few. None tells of an event.
SELECT number, at, kind, decision, subject, unpack(detail) FROM trace
WHERE space = ? AND kind = ? AND kind <> 'event' ORDER BY number
