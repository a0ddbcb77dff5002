-- name: edges
-- The edges by the names of their types and the ids of their ends, to be compared.
SELECT y.name, s.id, t.id, e.weight, e.source_seq
FROM edge e JOIN edge_type y ON y.space = e.space AND y.number = e.type
JOIN node s ON s.number = e.source JOIN node t ON t.number = e.target
WHERE e.space = ? ORDER BY y.name, s.id, t.id

-- name: entities
-- The list of entities, to be compared.
SELECT id, kind, name, mentions, merged_into FROM entity WHERE space = ? ORDER BY id

-- name: experiences
-- The list of experiences, to be compared.
SELECT * FROM experience WHERE space = ? ORDER BY seq

-- name: facts
-- The index of facts, to be compared.
SELECT * FROM fact_entry WHERE space = ? ORDER BY subject, seq

-- name: feedback
-- The list of feedback, to be compared.
SELECT * FROM reconstitution_feedback WHERE space = ? ORDER BY seq

-- name: feedback_effects
-- What feedback gave memories, to be compared.
SELECT * FROM feedback_effect WHERE space = ? ORDER BY memory, feedback

-- name: full_text
-- The terms of every memory, in order, to be compared.
SELECT seq, terms FROM full_text WHERE space = ? ORDER BY seq

-- name: identities
-- Who is who among the people, to be compared.
SELECT * FROM person_identity WHERE space = ? ORDER BY person

-- name: merges
-- Who was taken for whom, to be compared.
SELECT person, into_person FROM person_merge WHERE space = ? ORDER BY person

-- name: names
-- The names of people, to be compared.
SELECT person, folded, name, how, state, since FROM person_name WHERE space = ?
ORDER BY person, folded

-- name: nodes
-- The nodes that edges lie between, without their numbers, to be compared.
SELECT label, id, seq, name FROM node WHERE space = ? ORDER BY id

-- name: people
-- The list of people, to be compared.
SELECT * FROM relationship WHERE space = ? ORDER BY user_id

-- name: references
-- Which memories entries are about, to be compared; what was erased is about none.
SELECT a.memory, a.seq FROM about a JOIN payload p ON p.seq = a.seq
WHERE a.space = ? ORDER BY a.memory, a.seq
