-- name: bearers
-- Whether a name was learned or set for anybody.
SELECT 1 FROM person_name WHERE space = ? AND folded = ? LIMIT 1

-- name: changed
-- Notes that somebody who has spoken is another from now on: what was made of it is outdated.
INSERT INTO person_change (space, since, first) VALUES (:space, :since, :first)
ON CONFLICT (space, since) DO UPDATE SET first = min(first, excluded.first)

-- name: clear_changes
-- Drops when somebody became another before a rebuild.
DELETE FROM person_change WHERE space = ?

-- name: clear_identities
-- Drops who is who, before it is worked out again.
DELETE FROM person_identity WHERE space = ?

-- name: clear_merges
-- Drops who was taken for whom before a rebuild.
DELETE FROM person_merge WHERE space = ?

-- name: clear_names
-- Drops the names of a space's people before a rebuild.
DELETE FROM person_name WHERE space = ?

-- name: first
-- The first thing that a person said.
SELECT min(seq) FROM experience INDEXED BY experience_by_person WHERE space = ? AND person = ?

-- name: identify
-- Says who a person is, and how they are shown.
INSERT INTO person_identity (space, person, canonical, shown, folded) VALUES (?, ?, ?, ?, ?)

-- name: identities
-- Everybody who is shown by another name than the one that was given, or is somebody else.
SELECT person, canonical, shown FROM person_identity WHERE space = ?

-- name: last_speaker
-- Who spoke last in a session before a sequence, besides one person.
SELECT x.person
FROM entry e INDEXED BY entry_by_stream
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
WHERE e.space = :space AND e.stream = :session AND e.seq < :before
  AND x.kind = 'user_message' AND x.person IS NOT NULL AND x.person IS NOT :other
ORDER BY e.seq DESC LIMIT 1

-- name: learned_at
-- The sequence of a memory.
SELECT seq FROM entry WHERE space = ? AND id = ?

-- name: merge
-- Takes one person for another, or, where both are one, for somebody of their own.
INSERT INTO person_merge (space, person, into_person) VALUES (:space, :person, :into)
ON CONFLICT (space, person) DO UPDATE SET into_person = excluded.into_person

-- name: merges
-- Who was taken for whom; somebody of their own, for themselves.
SELECT person, into_person FROM person_merge WHERE space = ?

-- name: name
-- Takes up a name of a person: what a user said of it stands, whatever is learned later.
INSERT INTO person_name (space, person, folded, name, how, state, since)
VALUES (:space, :person, :folded, :name, :how, :state, :since)
ON CONFLICT (space, person, folded) DO UPDATE
SET name = excluded.name, how = excluded.how, state = excluded.state, since = excluded.since
WHERE excluded.how = 'user' OR person_name.how <> 'user'

-- name: names
-- Every name that was learned, set or refused, in the order in which that was.
SELECT person, folded, name, how, state, since FROM person_name WHERE space = ?
ORDER BY since, person, folded

-- name: spoken
-- Everybody who ever spoke, by the name that was first given.
SELECT user_id, display_name FROM relationship WHERE space = ?
