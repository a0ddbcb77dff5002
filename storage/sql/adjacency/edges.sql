-- Edges made by a run of entries, for building arrays.
SELECT type, source, target, weight FROM edge
WHERE space = ? AND source_seq > ? AND source_seq <= ?
