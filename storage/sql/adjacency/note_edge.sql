-- Notes an edge that was put in anew.
INSERT INTO graph_change (space, type, source, target)
SELECT :space, t.number, a.number, b.number
FROM edge_type t, node a, node b
WHERE t.space = :space AND t.name = :type
  AND a.space = :space AND a.id = :source AND b.space = :space AND b.id = :target
