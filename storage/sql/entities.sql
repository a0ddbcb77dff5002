-- name: all
-- Every entity of a space, most mentioned first.
SELECT id, kind, name, mentions, merged_into FROM entity WHERE space = ?
ORDER BY mentions DESC, id

-- name: clear
-- Drops a space's entities before a rebuild.
DELETE FROM entity WHERE space = ?

-- name: count
-- How many entities a space has, and how many of them stand for others.
SELECT count(*), count(merged_into) FROM entity WHERE space = ?

-- name: mention
-- Counts one more mention of an entity; the first name it was mentioned by stays.
INSERT INTO entity (space, id, kind, name, mentions, first_seq)
VALUES (?1, ?2, ?3, ?4, 1, ?5)
ON CONFLICT (space, id) DO UPDATE SET mentions = mentions + 1

-- name: merge
-- Takes one entity for another from now on, or (NULL) for itself again.
UPDATE entity SET merged_into = :into WHERE space = :space AND id = :entity

-- name: fewer
-- Takes away mentions of an entity.
UPDATE entity SET mentions = mentions - :times WHERE space = :space AND id = :id

-- name: unmentioned
-- Drops an entity that nothing mentions any more.
DELETE FROM entity WHERE space = :space AND id = :id AND mentions <= 0

-- name: first_named
-- Notes which entry mentions an entity first, and how.
UPDATE entity SET first_seq = :seq, kind = :kind, name = :name WHERE space = :space AND id = :id
