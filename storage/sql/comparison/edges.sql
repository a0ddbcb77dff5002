-- The edges by the names of their types and the ids of their ends, to be compared.
SELECT y.name, s.id, t.id, e.weight, e.source_seq
FROM edge e JOIN edge_type y ON y.space = e.space AND y.number = e.type
JOIN node s ON s.number = e.source JOIN node t ON t.number = e.target
WHERE e.space = ? ORDER BY y.name, s.id, t.id
