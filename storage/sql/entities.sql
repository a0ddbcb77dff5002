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
INSERT INTO entity (space, id, kind, name, mentions) VALUES (:space, :id, :type, :name, 1)
ON CONFLICT (space, id) DO UPDATE SET mentions = mentions + 1

-- name: merge
-- Takes one entity for another from now on, or (NULL) for itself again.
UPDATE entity SET merged_into = :into WHERE space = :space AND id = :entity
