-- One edge of the adjacency between two numbered nodes, of a numbered type.
INSERT INTO edge (space, type, source, target, weight, source_seq)
SELECT :space, t.number, a.number, b.number, :weight, :source_seq
FROM edge_type t, node a, node b
WHERE t.space = :space AND t.name = :type
  AND a.space = :space AND a.id = :source AND b.space = :space AND b.id = :target
ON CONFLICT (space, type, source, target) DO UPDATE SET weight = excluded.weight
