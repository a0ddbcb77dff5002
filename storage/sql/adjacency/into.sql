-- The next entries that made edges into a node, in order.
SELECT DISTINCT source_seq FROM edge INDEXED BY edge_by_target
WHERE space = ? AND target = ? AND source_seq > ? ORDER BY source_seq LIMIT ?
