-- Removes edges from some nodes that are older than a sequence, and says which.
DELETE FROM edge
WHERE space = :space AND type IN (SELECT number FROM edge_type WHERE space = :space)
  AND source IN (SELECT value FROM json_each(:numbers)) AND +source_seq < :before
RETURNING type, source, target
