-- name: all_nodes
-- Every node that a plan can name, in the order in which they became known.
SELECT id, label, seq FROM node
WHERE space = ? AND label IN ('Experience', 'Episode', 'Fact', 'Artifact') ORDER BY seq, number

-- name: edges_of
-- Edges between what a plan can name, from or to some of it.
WITH wanted AS (
    SELECT number FROM node WHERE space = :space AND id IN (SELECT value FROM json_each(:ids))),
shown AS (
    SELECT number FROM edge_type WHERE space = :space
      AND name IN ('NEXT', 'REFERENCES', 'STATED_IN', 'SUMMARIZES', 'SUPERSEDES')),
touching AS (
    SELECT source, target, source_seq FROM edge
    WHERE space = :space AND source IN (SELECT number FROM wanted)
      AND type IN (SELECT number FROM shown)
    UNION
    SELECT source, target, source_seq FROM edge INDEXED BY edge_by_target
    WHERE space = :space AND target IN (SELECT number FROM wanted)
      AND type IN (SELECT number FROM shown))
SELECT a.id, a.label, a.seq, b.id, b.label, b.seq, l.source_seq
FROM touching l JOIN node a ON a.number = l.source JOIN node b ON b.number = l.target
ORDER BY l.source_seq, a.number, b.number

-- name: nodes
-- Label and first sequence of some nodes that a plan can name.
SELECT id, label, seq FROM node
WHERE space = ? AND id IN (SELECT value FROM json_each(?))
