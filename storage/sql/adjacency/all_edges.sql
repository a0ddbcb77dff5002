-- All edges by a sequence, type by type as they lie; +source_seq keeps it from looking up each one.
SELECT type, source, target, weight FROM edge
WHERE space = ? AND +source_seq > ? AND +source_seq <= ?
