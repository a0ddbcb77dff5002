-- The edges that were changed after a change, as they are now, made by entries up to a sequence.
SELECT DISTINCT e.type, e.source, e.target, e.weight
FROM graph_change c CROSS JOIN edge e
    ON e.space = c.space AND e.type = c.type AND e.source = c.source AND e.target = c.target
WHERE c.space = ? AND c.number > ? AND e.source_seq <= ?
