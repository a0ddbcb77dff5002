-- The entries that some edges are of, as far as these are there.
SELECT t.name, e.source, e.target, e.source_seq
FROM json_each(:edges) sought
CROSS JOIN edge_type t ON t.space = :space AND t.name = sought.value ->> 0
CROSS JOIN edge e ON e.space = :space AND e.type = t.number
    AND e.source = sought.value ->> 1 AND e.target = sought.value ->> 2
