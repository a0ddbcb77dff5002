-- name: add
-- One decision in the trace stream.
INSERT INTO trace (space, at, kind, decision, subject, detail) VALUES (?, ?, ?, ?, ?, ?)

-- name: add_recall
-- One answered query with its reasons, kept under its id.
INSERT INTO recall (space, id, at, body, inputs) VALUES (?, ?, ?, ?, ?)

-- name: find_recall
-- A kept recall, and its memories' ids in order: kept as sequences, or by earlier versions as ids.
SELECT r.body, (
    SELECT json_group_array(id) FROM (
        SELECT coalesce(x.id, json_extract(h.value, '$.id'), '@' || h.value) AS id
        FROM json_each(r.body, '$.hits') h
        LEFT JOIN experience x ON h.type = 'integer' AND x.space = r.space AND x.seq = h.value
        ORDER BY h.key)), r.inputs
FROM recall r WHERE r.space = ? AND r.id = ?

-- name: last_recall
-- The newest kept recall of a space, in the order of keeping: a clock may have been set back.
SELECT id FROM recall WHERE space = ? ORDER BY rowid DESC LIMIT 1

-- name: of_kind
-- Decisions of one kind in a space, in order: there are few. None tells of an event.
SELECT number, at, kind, decision, subject, unpack(detail) FROM trace
WHERE space = ? AND kind = ? AND kind <> 'event' ORDER BY number

-- name: prune_lines
-- Delete lines of the trace stream: those before a time, and all but the newest so many of a space.
DELETE FROM trace WHERE space = :space AND (
    at < :before
    OR number < (SELECT number FROM trace WHERE space = :space
                 ORDER BY number DESC LIMIT 1 OFFSET :keep - 1))

-- name: prune_recalls
-- Delete kept recalls of a space: those before a time, and all but the newest so many.
DELETE FROM recall WHERE space = :space AND (
    at < :before
    OR at < (SELECT at FROM recall WHERE space = :space ORDER BY at DESC LIMIT 1 OFFSET :keep - 1))

-- name: read
-- The trace stream of a space in order.
SELECT number, at, kind, decision, subject, unpack(detail) FROM trace
WHERE space = ? AND number > ? ORDER BY number LIMIT ?

-- name: recalled
-- How many kept recalls of a space brought back each memory; see find_recall for the two forms.
SELECT coalesce(x.id, json_extract(h.value, '$.id')), count(*)
FROM recall r, json_each(r.body, '$.hits') h
LEFT JOIN experience x ON h.type = 'integer' AND x.space = r.space AND x.seq = h.value
WHERE r.space = ? GROUP BY 1

-- name: recalls
-- The newest kept recalls of a space before one of them (all where none is named), newest first.
SELECT r.id, r.at, json_extract(r.body, '$.question'), json_array_length(r.body, '$.hits')
FROM recall r
WHERE r.space = :space AND (:before IS NULL OR r.id < :before)
ORDER BY r.id DESC LIMIT :limit

-- name: since
-- Decisions of one kind since a time, in whatever space.
SELECT at, unpack(detail) FROM trace WHERE kind = ? AND at >= ? ORDER BY number
