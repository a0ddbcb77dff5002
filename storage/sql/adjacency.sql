-- name: add_edge
-- One edge of the adjacency between two numbered nodes, of a numbered type.
INSERT INTO edge (space, type, source, target, weight, source_seq)
SELECT ?1, t.number, a.number, b.number, ?5, ?6
FROM edge_type t, node a, node b
WHERE t.space = ?1 AND t.name = ?2
  AND a.space = ?1 AND a.id = ?3 AND b.space = ?1 AND b.id = ?4
ON CONFLICT (space, type, source, target) DO UPDATE SET weight = excluded.weight

-- name: add_edge_type
-- Gives a type of edges its number in a space, once.
INSERT OR IGNORE INTO edge_type (space, name, number)
SELECT ?1, ?2, 1 + count(*) FROM edge_type WHERE space = ?1

-- name: add_node
-- Gives a graph node its number, once; its readable name comes with whoever knows it.
INSERT INTO node (space, label, id, seq, name) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space, id) DO UPDATE SET name = excluded.name
WHERE excluded.name IS NOT NULL AND name IS NULL

-- name: all_edges
-- All edges by a sequence, type by type as they lie; +source_seq keeps it from looking up each one.
SELECT type, source, target, weight FROM edge
WHERE space = ? AND +source_seq > ? AND +source_seq <= ?

-- name: begin_node
-- Has a node begin with another entry, and be called as that one calls it.
UPDATE node SET seq = :seq, name = :name WHERE number = :number AND +space = :space

-- name: changed_edges
-- The edges that were changed after a change, as they are now, made by entries up to a sequence.
SELECT DISTINCT e.type, e.source, e.target, e.weight
FROM graph_change c CROSS JOIN edge e
    ON e.space = c.space AND e.type = c.type AND e.source = c.source AND e.target = c.target
WHERE c.space = ? AND c.number > ? AND e.source_seq <= ?

-- name: changes
-- What was changed in the adjacency after a change.
SELECT number, type, source, target FROM graph_change WHERE space = ? AND number > ?
ORDER BY number

-- name: clear_edges
-- Drops a space's adjacency before a rebuild.
DELETE FROM edge WHERE space = ?

-- name: clear_nodes
-- Drops a space's numbering before a rebuild.
DELETE FROM node WHERE space = ?

-- name: cut
-- Removes the edges that some entries made, and says which.
DELETE FROM edge WHERE space = ? AND source_seq IN (SELECT value FROM json_each(?))
RETURNING type, source, target

-- name: cut_from
-- Removes edges from some nodes that are older than a sequence, and says which.
DELETE FROM edge
WHERE space = ?1 AND type IN (SELECT number FROM edge_type WHERE space = ?1)
  AND source IN (SELECT value FROM json_each(?2)) AND +source_seq < ?3
RETURNING type, source, target

-- name: cut_into
-- Removes edges into some nodes that are older than a sequence, and says which.
DELETE FROM edge INDEXED BY edge_by_target
WHERE space = ? AND target IN (SELECT value FROM json_each(?)) AND source_seq < ?
RETURNING type, source, target

-- name: edge_types
-- The numbers of a space's types of edges, and their names.
SELECT number, name FROM edge_type WHERE space = ?

-- name: edges
-- Edges made by a run of entries, for building arrays.
SELECT type, source, target, weight FROM edge
WHERE space = ? AND source_seq > ? AND source_seq <= ?

-- name: entities
-- What memories are about, most shared first, and what it was merged into.
SELECT coalesce(i.shown, n.name), n.label, count(DISTINCT e.source), c.name
FROM edge_type t CROSS JOIN edge e ON e.space = t.space AND e.type = t.number
JOIN node n ON n.number = e.target
LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
LEFT JOIN entity m ON m.space = n.space AND m.id = n.id
LEFT JOIN entity c ON c.space = m.space AND c.id = m.merged_into
WHERE t.space = ? AND t.name IN ('ABOUT', 'SPOKEN_BY', 'INVOLVES', 'MENTIONS')
  AND (t.name <> 'ABOUT' OR n.label = 'Concept')
GROUP BY n.number ORDER BY 3 DESC, 1 LIMIT ?

-- name: find_nodes
-- The numbers of some node ids.
SELECT id, number FROM node WHERE space = ? AND id IN (SELECT value FROM json_each(?))

-- name: has_node
-- Whether a node that a view was made of is still there.
SELECT EXISTS (SELECT 1 FROM node WHERE +space = ? AND number = ?)

-- name: identify_nodes
-- What some node numbers are called, for reasons; +space makes it look up by number.
SELECT n.number, n.label, n.id, coalesce(i.shown, n.name)
FROM node n LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
WHERE +n.space = ? AND n.number IN (SELECT value FROM json_each(?))

-- name: into
-- The next entries that made edges into a node, in order.
SELECT DISTINCT source_seq FROM edge INDEXED BY edge_by_target
WHERE space = ? AND target = ? AND source_seq > ? ORDER BY source_seq LIMIT ?

-- name: into_newest
-- The last entries before a sequence that made edges into a node, newest first.
SELECT DISTINCT source_seq FROM edge INDEXED BY edge_by_target
WHERE space = ? AND target = ? AND source_seq < ? ORDER BY source_seq DESC LIMIT ?

-- name: last_change
-- The last change of a space's adjacency.
SELECT coalesce(max(number), 0) FROM graph_change WHERE space = ?

-- name: made_at
-- The entries that some edges are of, as far as these are there.
SELECT t.name, e.source, e.target, e.source_seq
FROM json_each(:edges) sought
CROSS JOIN edge_type t ON t.space = :space AND t.name = sought.value ->> 0
CROSS JOIN edge e ON e.space = :space AND e.type = t.number
    AND e.source = sought.value ->> 1 AND e.target = sought.value ->> 2

-- name: made_by
-- Of some nodes, those that some entries were the first to name.
SELECT number, label, id FROM node
WHERE space = ? AND id IN (SELECT value FROM json_each(?))
  AND seq IN (SELECT value FROM json_each(?))
ORDER BY +number

-- name: names
-- Readable names of some node ids, for lists.
SELECT n.id, coalesce(i.shown, n.name)
FROM node n LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
WHERE n.space = ? AND n.id IN (SELECT value FROM json_each(?))

-- name: nodes
-- Nodes numbered since, by a run of entries.
SELECT number, label, seq FROM node WHERE space = ? AND number > ? AND seq <= ? ORDER BY number

-- name: note_change
-- Notes an edge that may be another now, or a node that went.
INSERT INTO graph_change (space, type, source, target) VALUES (?, ?, ?, ?)

-- name: note_edge
-- Notes an edge that was put in anew.
INSERT INTO graph_change (space, type, source, target)
SELECT ?1, t.number, a.number, b.number
FROM edge_type t, node a, node b
WHERE t.space = ?1 AND t.name = ?2
  AND a.space = ?1 AND a.id = ?3 AND b.space = ?1 AND b.id = ?4

-- name: remove_nodes
-- Removes some nodes, after their edges.
DELETE FROM node WHERE +space = ? AND number IN (SELECT value FROM json_each(?))
