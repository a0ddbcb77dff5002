-- Removes edges into some nodes that are older than a sequence, and says which.
DELETE FROM edge INDEXED BY edge_by_target
WHERE space = :space AND target IN (SELECT value FROM json_each(:numbers)) AND source_seq < :before
RETURNING type, source, target
