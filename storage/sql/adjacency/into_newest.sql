-- The last entries before a sequence that made edges into a node, newest first.
SELECT DISTINCT source_seq FROM edge INDEXED BY edge_by_target
WHERE space = ? AND target = ? AND source_seq < ? ORDER BY source_seq DESC LIMIT ?
