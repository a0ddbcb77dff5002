-- One edge of the adjacency between two numbered nodes.
INSERT INTO edge (space, type, source, target, weight, source_seq)
SELECT :space, :type, a.number, b.number, :weight, :source_seq FROM node a, node b
WHERE a.space = :space AND a.id = :source AND b.space = :space AND b.id = :target
ON CONFLICT (space, type, source, target) DO UPDATE SET weight = excluded.weight
