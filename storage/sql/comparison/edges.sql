-- The edges by the ids of their ends, to be compared.
SELECT e.type, s.id, t.id, e.weight, e.source_seq
FROM edge e JOIN node s ON s.number = e.source JOIN node t ON t.number = e.target
WHERE e.space = ? ORDER BY e.type, s.id, t.id
