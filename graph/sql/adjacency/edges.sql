-- Edges made by a run of entries, for building arrays.
SELECT type, source, target, weight, source_seq FROM edge
WHERE space = ? AND source_seq > ? AND source_seq <= ?
