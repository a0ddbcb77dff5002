-- name: append_entry
-- One header of the chain, unless its key is there already: then nothing is written.
INSERT INTO entry (space, seq, kind, id, key, stream, previous, at, recorded_at, payload_hash, hash)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (space, kind, key) DO NOTHING

-- name: append_payload
-- The body apart from its header, so that it can be erased.
INSERT INTO payload (space, seq, salt, body) VALUES (?, ?, ?, ?)

-- name: by_ids
-- Some entries by their ids, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e INDEXED BY sqlite_autoindex_entry_1
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.id IN (SELECT value FROM json_each(?)) ORDER BY e.seq

-- name: by_keys
-- The entries of one kind with some keys, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e INDEXED BY sqlite_autoindex_entry_3
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.kind = ? AND e.key IN (SELECT value FROM json_each(?)) ORDER BY e.seq

-- name: chain
-- Everything that verification hashes, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, e.previous, e.at, e.recorded_at, e.payload_hash,
       e.hash, p.salt, p.body, p.space
FROM entry e LEFT JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.seq > ? ORDER BY e.seq LIMIT ?

-- name: columns
-- The columns of every table: damage in the description of a table is found by what it lacks.
SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'

-- name: count
-- How many entries of each kind a space holds.
SELECT kind, count(*) FROM entry WHERE space = ? GROUP BY kind

-- name: create_space
-- A write creates its space.
INSERT INTO space (name, created_at) VALUES (?, ?)

-- name: cursor
-- How far a projection has come.
SELECT seq, version FROM cursor WHERE space = ? AND projection = ?

-- name: cursor_names
-- The projections of a space that have a cursor.
SELECT projection FROM cursor WHERE space = ? ORDER BY projection

-- name: find_key
-- The entry that already carries a key, with its payload if it was not erased.
SELECT e.seq, e.id, p.body, e.at FROM entry e LEFT JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.kind = ? AND e.key = ?

-- name: find_space
-- Finds a space by its name.
SELECT number FROM space WHERE name = ?

-- name: forget_cursor
-- A dropped projection starts over.
DELETE FROM cursor WHERE space = ? AND projection = ?

-- name: hash_at
-- The chain's hash at one entry.
SELECT hash FROM entry WHERE space = ? AND seq = ?

-- name: head
-- Where a space's chain ends, kept apart from the chain so that a cut is noticed.
SELECT head_seq, head_hash FROM space WHERE number = ?

-- name: heads
-- Every space that holds anything, by name, and its last sequence.
SELECT name, head_seq FROM space WHERE head_seq > 0 ORDER BY name

-- name: last_of_stream
-- The predecessor in a stream: what an entry records about the past; what was erased is none.
SELECT e.id FROM entry e INDEXED BY entry_by_stream JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.stream = ? ORDER BY e.seq DESC LIMIT 1

-- name: lost_payloads
-- Payloads of a space whose entry is gone.
SELECT p.seq FROM payload p WHERE p.space = :space AND NOT EXISTS (
    SELECT 1 FROM entry e WHERE e.space = p.space AND e.seq = p.seq) ORDER BY p.seq LIMIT 100

-- name: mark_as_ours
-- By this table a file is known as a journal; earlier versions noted each migration in it.
CREATE TABLE migration (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT

-- name: move_cursor
-- A projection's position, moved in the transaction that did the work; never backwards.
INSERT INTO cursor (space, projection, version, seq) VALUES (?, ?, ?, ?)
ON CONFLICT (space, projection) DO UPDATE SET
    seq = CASE WHEN version = excluded.version THEN max(seq, excluded.seq) ELSE excluded.seq END,
    version = excluded.version

-- name: move_head
-- The end of a chain moves with each append, in its transaction.
UPDATE space SET head_seq = :seq, head_hash = :hash WHERE number = :space

-- name: newest
-- When the entry at the end of a space's chain was recorded.
SELECT e.recorded_at FROM entry e JOIN space s ON s.number = e.space
WHERE s.number = ? AND e.seq = s.head_seq

-- name: newest_entries
-- The newest entries of a space before a sequence, newest first.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.seq < ? ORDER BY e.seq DESC LIMIT ?

-- name: of_kind
-- The next entries of one kind after a sequence, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e INDEXED BY entry_by_kind
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.kind = ? AND e.seq > ? ORDER BY e.seq LIMIT ?

-- name: of_sessions
-- The entries of one kind about some sessions: of their memories, or keyed by them; in order.
WITH wanted AS (SELECT value AS session FROM json_each(?3)),
found AS (
    SELECT a.seq FROM wanted
    CROSS JOIN entry s INDEXED BY entry_by_stream ON s.space = ?1 AND s.stream = wanted.session
    CROSS JOIN about a ON a.space = s.space AND a.memory = s.seq
    UNION
    SELECT k.seq FROM wanted
    CROSS JOIN entry k INDEXED BY sqlite_autoindex_entry_3 ON k.space = ?1 AND k.kind = ?2
        AND k.key >= wanted.session || '#' AND k.key < wanted.session || '$')
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, NULL
FROM found CROSS JOIN entry e ON e.space = ?1 AND e.seq = found.seq
{include fragments/read_payload}
WHERE e.kind = ?2 AND p.body ->> '$.session' IN (SELECT session FROM wanted)
ORDER BY e.seq

-- name: of_speakers
-- The entries of one kind about what some people said, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, NULL
FROM json_each(?3) wanted
CROSS JOIN experience x INDEXED BY experience_by_speaker
    ON x.space = ?1 AND x.person = wanted.value
CROSS JOIN about a ON a.space = x.space AND a.memory = x.seq
CROSS JOIN entry e ON e.space = a.space AND e.seq = a.seq
{include fragments/read_payload}
WHERE e.kind = ?2
ORDER BY e.seq

-- name: of_stream
-- The entries of one stream after a sequence, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e INDEXED BY entry_by_stream
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.stream = ? AND e.seq > ? ORDER BY e.seq

-- name: read
-- A run of a space's entries in order, for projections.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, h.body
FROM entry e
{include fragments/read_payload}
LEFT JOIN provisional h ON h.seq = e.seq
WHERE e.space = ? AND e.seq > ? ORDER BY e.seq LIMIT ?

-- name: tail
-- The next sequence, the space of a name with its chain's end, and whether it forgot anything.
SELECT (SELECT coalesce(max(head_seq), 0) + 1 FROM space), s.number, s.head_hash,
    EXISTS (SELECT 1 FROM forgetting f WHERE f.space = s.number)
FROM (SELECT ? AS name) asked LEFT JOIN space s ON s.name = asked.name

-- name: take_cursor_back
-- Takes a projection's cursor back to a sequence, where it is farther.
UPDATE cursor SET seq = :seq
WHERE space = :space AND projection = :projection AND seq > :seq
