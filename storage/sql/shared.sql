-- name: add_cursors
-- How far the passes are whose results are entries; never backwards.
INSERT INTO meridia_cursor (space, projection, version, seq, told)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bigint[])
ON CONFLICT (space, projection) DO UPDATE
SET version = excluded.version, seq = excluded.seq, told = excluded.told
WHERE excluded.version > meridia_cursor.version
    OR (excluded.version = meridia_cursor.version AND excluded.seq > meridia_cursor.seq)

-- name: add_entries
-- Headers of the chain, in one statement for a page of them.
INSERT INTO meridia_entry
    (seq, space, kind, id, key, stream, previous, at, recorded_at, payload_hash, hash)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::text[], %s::text[],
    %s::text[], %s::text[], %s::text[], %s::bytea[], %s::bytea[])

-- name: add_held
-- Whole events of outlines, held for a while.
INSERT INTO meridia_held (seq, space, expires_at, body)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::text[])

-- name: add_key
-- A key of a caller; one that was given before opens what it is given for now.
INSERT INTO meridia_key (id, hash, label, access, spaces, created)
VALUES (%s, %s, %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE
SET label = excluded.label, access = excluded.access, spaces = excluded.spaces
WHERE meridia_key.hash = excluded.hash
RETURNING id

-- name: add_payloads
-- Bodies apart from their headers, so that they can be erased.
INSERT INTO meridia_payload (seq, space, salt, body)
SELECT * FROM unnest(%s::bigint[], %s::text[], %s::bytea[], %s::text[])

-- name: create
-- The shared journal's tables; every row but the head's carries its space. Made once.
SELECT pg_advisory_xact_lock(hashtext('meridia_head'));
CREATE TABLE IF NOT EXISTS meridia_head (
    one int PRIMARY KEY CHECK (one = 1),
    form int NOT NULL,
    seq bigint NOT NULL,
    hash bytea NOT NULL,
    receipt_key bytea
);
INSERT INTO meridia_head (one, form, seq, hash) VALUES (1, 1, 0, '') ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS meridia_entry (
    seq bigint PRIMARY KEY,
    space text NOT NULL,
    kind text NOT NULL,
    id text NOT NULL UNIQUE,
    key text NOT NULL,
    stream text,
    previous text,
    at text NOT NULL,
    recorded_at text NOT NULL,
    payload_hash bytea NOT NULL,
    hash bytea NOT NULL,
    UNIQUE (space, kind, key)
);
CREATE TABLE IF NOT EXISTS meridia_payload (
    seq bigint PRIMARY KEY,
    space text NOT NULL,
    salt bytea NOT NULL,
    body text NOT NULL
);
CREATE TABLE IF NOT EXISTS meridia_held (
    seq bigint PRIMARY KEY,
    space text NOT NULL,
    expires_at text,
    body text NOT NULL
);
CREATE TABLE IF NOT EXISTS meridia_cursor (
    space text NOT NULL,
    projection text NOT NULL,
    version bigint NOT NULL,
    seq bigint NOT NULL,
    told bigint NOT NULL,
    PRIMARY KEY (space, projection)
);
CREATE TABLE IF NOT EXISTS meridia_lease (
    space text NOT NULL,
    work text NOT NULL,
    owner text NOT NULL,
    until text NOT NULL,
    PRIMARY KEY (space, work)
);
CREATE TABLE IF NOT EXISTS meridia_replica (
    name text PRIMARY KEY,
    seq bigint NOT NULL,
    cleaned bigint NOT NULL,
    seen_at text NOT NULL
);
CREATE TABLE IF NOT EXISTS meridia_key (
    id text PRIMARY KEY,
    hash bytea NOT NULL,
    label text NOT NULL,
    access text NOT NULL,
    spaces text NOT NULL,
    created text NOT NULL,
    revoked text
)

-- name: cursors
-- How far the passes are that write entries, where all that they wrote was read.
SELECT space, projection, version, seq FROM meridia_cursor
WHERE space = ANY(%s::text[]) AND told <= %s

-- name: entries
-- A page of the journal after a sequence, with what was not erased of it.
SELECT e.seq, e.space, e.kind, e.id, e.key, e.stream, e.previous, e.at, e.recorded_at,
    e.payload_hash, e.hash, p.salt, p.body, h.expires_at, h.body
FROM meridia_entry e
LEFT JOIN meridia_payload p ON p.seq = e.seq
LEFT JOIN meridia_held h ON h.seq = e.seq
WHERE e.seq > %s ORDER BY e.seq LIMIT %s

-- name: erase_held
-- Erases held events of which only the outline stays.
DELETE FROM meridia_held WHERE space = %s AND seq = ANY(%s::bigint[])

-- name: erase_held_runs
-- Erases the held events of forgotten entries.
DELETE FROM meridia_held WHERE space = %s AND seq BETWEEN %s AND %s

-- name: erase_payloads
-- Erases what forgotten entries said; their headers stay, and the chain with them.
DELETE FROM meridia_payload WHERE space = %s AND seq BETWEEN %s AND %s

-- name: find_key
-- The key of an id, revoked or not.
SELECT id, hash, label, access, spaces, created, revoked FROM meridia_key WHERE id = %s

-- name: forget_replica
-- Forgets a replica that is no more.
DELETE FROM meridia_replica WHERE name = %s

-- name: hash_at
-- The hash of one entry.
SELECT hash FROM meridia_entry WHERE seq = %s

-- name: head
-- Where the journal ends: what a replica asks before every answer.
SELECT form, seq, hash, receipt_key FROM meridia_head

-- name: is_there
-- Whether the tables were made, the latest one too.
SELECT to_regclass('meridia_key') IS NOT NULL

-- name: keep_key
-- Keeps the key that receipts are made with; the first one stays.
UPDATE meridia_head SET receipt_key = coalesce(receipt_key, %s) RETURNING receipt_key

-- name: list_keys
-- All keys, the oldest first.
SELECT id, hash, label, access, spaces, created, revoked FROM meridia_key ORDER BY created, id

-- name: lock
-- Takes the head: one writer at a time, until its transaction ends.
SELECT form, seq, hash, receipt_key FROM meridia_head FOR UPDATE

-- name: move_head
-- The end of the journal moves with each append, in its transaction.
UPDATE meridia_head SET seq = %s, hash = %s

-- name: note_replica
-- How far a replica follows, and the last forgetting that it has finished.
INSERT INTO meridia_replica (name, seq, cleaned, seen_at) VALUES (%s, %s, %s, %s)
ON CONFLICT (name) DO UPDATE
SET seq = excluded.seq, cleaned = excluded.cleaned, seen_at = excluded.seen_at

-- name: patience
-- How long a writer waits for another one; ends with its transaction, as a pool demands.
SELECT set_config('lock_timeout', %s, true)

-- name: release_lease
-- Gives a lease back.
DELETE FROM meridia_lease WHERE space = %s AND work = %s AND owner = %s

-- name: replicas
-- Every replica that has followed.
SELECT name, seq, cleaned, seen_at FROM meridia_replica ORDER BY name

-- name: revoke_key
-- Revokes a key; the time of the first time stays.
UPDATE meridia_key SET revoked = %s WHERE id = %s AND revoked IS NULL

-- name: take_key
-- A key that a file had before it followed; revoked is revoked.
INSERT INTO meridia_key (id, hash, label, access, spaces, created, revoked)
VALUES (%s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (id) DO UPDATE SET revoked = coalesce(meridia_key.revoked, excluded.revoked)
WHERE meridia_key.hash = excluded.hash

-- name: take_lease
-- Takes a lease that is free, our own, over, or from a clock that ran ahead; else no row.
INSERT INTO meridia_lease (space, work, owner, until)
VALUES (%s, %s, %s, %s)
ON CONFLICT (space, work) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE meridia_lease.owner = excluded.owner OR meridia_lease.until < %s
    OR meridia_lease.until > %s
RETURNING owner
