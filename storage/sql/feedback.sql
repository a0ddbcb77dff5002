-- name: add
-- What somebody said, or what was observed, about an answer or a memory.
INSERT INTO reconstitution_feedback (
    space, seq, id, reconstitution_id, ts, mode, records_injected, records_referenced,
    anchors_hit, user_rating, auto_score, notes, verdict)
VALUES (
    :space, :seq, :id, :reconstitution_id, :ts, :mode, :records_injected, :records_referenced,
    :anchors_hit, :user_rating, :auto_score, :notes, :verdict)

-- name: add_effect
-- What one feedback gives to one memory; nothing, where there is no such memory in the space.
INSERT INTO feedback_effect (space, memory, feedback, how, hundredths)
SELECT ?1, e.seq, ?2, ?4, ?5 FROM entry e WHERE e.id = ?3 AND e.space = ?1

-- name: clear_effects
-- Before a rebuild: what memories got.
DELETE FROM feedback_effect WHERE space = ?

-- name: clear_rows
-- Before a rebuild: what was given.
DELETE FROM reconstitution_feedback WHERE space = ?

-- name: has_any
-- Whether there is any feedback in a space: most spaces have none, and are asked often.
SELECT EXISTS (SELECT 1 FROM feedback_effect WHERE space = ?)

-- name: newest
-- The newest rows of the table, newest first; of one answer or memory, or of all.
SELECT f.id, f.reconstitution_id, f.ts, f.mode, f.records_injected, f.records_referenced,
       f.anchors_hit, f.user_rating, f.auto_score, f.notes, f.verdict, f.taken_back IS NOT NULL
FROM reconstitution_feedback f
WHERE f.space = :space
  AND (:id IS NULL OR f.id = :id)
  AND (:about IS NULL OR f.reconstitution_id = :about OR (
        f.reconstitution_id IS NULL AND EXISTS (
            SELECT 1 FROM feedback_effect e JOIN entry x ON x.id = :about AND x.seq = e.memory
            WHERE e.space = :space AND x.space = :space AND e.feedback = f.seq)))
ORDER BY f.seq DESC LIMIT :limit

-- name: rates
-- How often what was shown was of use, by mode; what was taken back is left out.
SELECT mode,
       count(auto_score),
       coalesce(sum(CASE WHEN auto_score IS NOT NULL THEN records_injected END), 0),
       coalesce(sum(CASE WHEN auto_score IS NOT NULL THEN records_referenced END), 0),
       avg(auto_score),
       count(user_rating),
       avg(user_rating),
       count(CASE WHEN verdict = 'useful' THEN 1 END),
       count(CASE WHEN verdict = 'stale' THEN 1 END),
       count(CASE WHEN verdict = 'wrong' THEN 1 END)
FROM reconstitution_feedback
WHERE space = ? AND taken_back IS NULL
GROUP BY mode ORDER BY mode

-- name: retract
-- A feedback that is taken back counts no more from here on; before, it did.
UPDATE reconstitution_feedback SET taken_back = :seq, taken_back_at = :at
WHERE space = :space AND id = :id AND taken_back IS NULL

-- name: shown
-- What each kept recall (by sequence, earlier by id) and pack showed, and the first turn after it.
WITH shown (id, space, at, mode, question, seq, memories) AS (
    SELECT r.id, r.space, r.at, 'recall',
           json_extract(r.body, '$.question'), json_extract(r.body, '$.seq'),
           (SELECT json_group_array(coalesce(x.id, json_extract(h.value, '$.id')))
            FROM json_each(r.body, '$.hits') h
            LEFT JOIN experience x
            ON h.type = 'integer' AND x.space = r.space AND x.seq = h.value
            WHERE h.type <> 'integer' OR x.id IS NOT NULL)
    FROM recall r WHERE r.space = :space AND r.at BETWEEN :since AND :until
    UNION ALL
    SELECT p.id, p.space, p.at, p.mode,
           coalesce(json_extract(p.body, '$.ask.query'), ''), json_extract(p.body, '$.ask.seq'),
           (SELECT json_group_array(e.id)
            FROM json_each(p.body, '$.ids') c
            JOIN entry e ON e.id = replace(c.value, 'meridia://', ''))
    FROM pack p WHERE p.space = :space AND p.at BETWEEN :since AND :until)
SELECT s.id, s.at, s.mode, s.question, s.memories, e.seq
FROM shown s
JOIN entry e ON e.space = s.space AND e.seq = (
    SELECT min(x.seq) FROM entry x
    WHERE x.space = s.space AND x.seq > s.seq AND x.kind = 'ExperienceCaptured')
WHERE e.stream = :session
ORDER BY s.id

-- name: sums
-- The hundredths that memories got, as of a sequence and a time: all but "ignored", and those.
SELECT e.memory,
       sum(CASE WHEN e.how <> 'ignored' THEN e.hundredths ELSE 0 END),
       sum(CASE WHEN e.how = 'ignored' THEN e.hundredths ELSE 0 END)
FROM feedback_effect e
WHERE e.space = :space
  AND e.memory IN (SELECT value FROM json_each(:memories))
  AND e.feedback <= :until
  AND e.feedback NOT IN (
        SELECT f.seq FROM reconstitution_feedback f
        WHERE f.space = :space AND f.taken_back <= :until
          AND (:moment IS NULL OR f.taken_back_at <= :moment))
  AND (:moment IS NULL OR e.feedback IN (
        SELECT f.seq FROM reconstitution_feedback f
        WHERE f.space = :space AND f.ts <= :moment))
GROUP BY e.memory
