-- name: add
-- Lists one experience, in the transaction that captured it.
INSERT INTO experience (
    seq, space, id, event_id, kind, at, person, session, text_hash, words, traits,
    status, outcome, significance
) VALUES (
    :seq, :space, :id, :event_id, :kind, :at, :person, :session, :text_hash, :words, :traits,
    :status, :outcome, :significance
)

-- name: association_features
-- What association needs of a run of experiences, in journal order.
SELECT seq, kind, traits FROM experience WHERE space = ? AND seq > ? AND seq <= ? ORDER BY seq

-- name: captures
-- How many experiences a run of the journal has; no more are counted than asked for.
SELECT count(*) FROM (
    SELECT 1 FROM experience WHERE space = ? AND seq > ? AND seq <= ? LIMIT ?)

-- name: clear
-- Drops a space's list before a rebuild.
DELETE FROM experience WHERE space = ?

-- name: count_after
-- How many experiences of a space came after a sequence.
SELECT count(*) FROM experience WHERE space = ? AND seq > ?

-- name: counts
-- Captured experiences that still have their payload, and experiences listed, at one moment.
SELECT (SELECT count(*) FROM entry e JOIN payload p ON p.seq = e.seq
        WHERE e.space = :space AND e.kind = 'ExperienceCaptured'),
       (SELECT count(*) FROM experience WHERE space = :space)

-- name: event_id
-- The caller's id of an experience, by Meridia's.
SELECT x.event_id FROM experience x
WHERE x.space = :space AND x.seq = (SELECT seq FROM entry WHERE id = :id AND space = :space)

-- name: features
-- What recall holds of each experience; the last of year 9999 has no second to be rounded up to.
SELECT x.seq, coalesce(unixepoch(x.at), unixepoch(substr(x.at, 1, 19))),
       coalesce(i.canonical, x.person), x.session, x.words, x.traits
FROM experience x LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = ? AND x.seq > ? AND x.seq <= ? ORDER BY x.seq

-- name: fetch
-- The experiences of a few sequences, with their bodies.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown,
       x.superseded_by
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.seq IN (SELECT value FROM json_each(:seqs))
  AND (:restricted OR x.traits & 64 = 0)

-- name: find
-- One experience by Meridia's id or by the caller's.
{include fragments/keys_of_id}
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown,
       x.superseded_by
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.seq IN (
    SELECT seq FROM entry WHERE id = :id
    UNION SELECT e.seq FROM reused
    CROSS JOIN entry e INDEXED BY sqlite_autoindex_entry_3
    ON e.space = :space AND e.kind = 'ExperienceCaptured' AND e.key = reused.key)

-- name: first_with_text
-- The first experience with the same words from the same speaker or tool.
SELECT x.id FROM experience x INDEXED BY experience_by_text
WHERE x.space = :space AND x.text_hash = :text_hash AND x.kind = :kind AND x.person IS :person
ORDER BY x.seq LIMIT 1

-- name: having
-- Those of some sequences whose metadata say what they must.
SELECT p.seq FROM json_each(:seqs) s CROSS JOIN payload p ON p.seq = s.value
LEFT JOIN provisional h ON h.seq = p.seq
WHERE {include fragments/metadata_conditions}
ORDER BY p.seq

-- name: ids
-- What some experiences are called, in journal order.
SELECT id FROM experience
WHERE space = ? AND seq IN (SELECT value FROM json_each(?)) ORDER BY seq

-- name: in_sessions
-- The newest experiences of some sessions, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM json_each(:sessions) wanted
CROSS JOIN entry e INDEXED BY entry_by_stream ON e.space = :space AND e.stream = wanted.value
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE {include fragments/experience_filters}
ORDER BY x.at DESC, x.seq DESC LIMIT :limit

-- name: kinds
-- How many experiences of each kind a space has.
SELECT kind, count(*) FROM experience WHERE space = ? GROUP BY kind ORDER BY kind

-- name: last_recorded_until
-- The newest entry that was written down by a time; looks from the end, where most times lie.
SELECT seq FROM entry WHERE space = ? AND recorded_at <= ? ORDER BY seq DESC LIMIT 1

-- name: like
-- The experiences that are like this: by session, significance, engagement and valence.
SELECT seq FROM experience
WHERE space = :space
  AND (:session IS NULL OR session = :session)
  AND (:significance_min IS NULL OR significance >= :significance_min)
  AND (:engagement IS NULL OR engagement_quality = :engagement)
  AND (:valence_min IS NULL OR emotional_valence >= :valence_min)
  AND (:valence_max IS NULL OR emotional_valence <= :valence_max)
ORDER BY seq

-- name: matching
-- The sequences that filters leave, by what is listed, for recall to look among.
SELECT x.seq FROM experience x
WHERE x.space = :space AND EXISTS (SELECT 1 FROM payload p WHERE p.seq = x.seq)
  AND {include fragments/listed_filters}
ORDER BY x.seq

-- name: newest
-- The newest experiences of a space under filters, newest first.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.at BETWEEN coalesce(:since, '') AND coalesce(:until, '~')
  AND {include fragments/experience_filters}
ORDER BY x.at DESC, x.seq DESC LIMIT :limit

-- name: of_session
-- How the experiences of one session stand, by id.
SELECT x.id, x.status, x.significance FROM entry e
JOIN experience x ON x.space = e.space AND x.seq = e.seq
WHERE e.space = ? AND e.stream = ?

-- name: page
-- One page of a space's experiences under filters, in journal order.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.seq > :after
  AND {include fragments/experience_filters}
ORDER BY x.seq LIMIT :limit

-- name: page_of_person
-- One page of the experiences of one person under filters, in journal order.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM experience x INDEXED BY experience_by_speaker
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = :space AND x.person = :member AND x.seq > :after
  AND {include fragments/experience_filters}
ORDER BY x.seq LIMIT :limit

-- name: page_of_session
-- One page of the experiences of one session under filters, in journal order.
SELECT x.seq, x.id, x.event_id, x.kind, x.at, coalesce(h.body, p.body), x.status, i.shown
FROM entry e
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq
LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE e.space = :space AND e.stream = :session AND e.seq > :after
  AND {include fragments/experience_filters}
ORDER BY x.seq LIMIT :limit

-- name: sessions
-- Sessions of a space by their first experience, with the caller's key: how many, and when.
SELECT coalesce(p.body ->> '$.event.session.key', p.body ->> '$.skeleton.session.key', g.session),
       g.many, 1, g.first, g.last, g.last_seq
FROM (
    SELECT x.session, count(*) many, min(x.at) first, max(x.at) last,
           min(x.seq) first_seq, max(x.seq) last_seq
    FROM experience x WHERE x.space = ? AND x.session IS NOT NULL
    GROUP BY x.session) g
LEFT JOIN payload p ON p.seq = g.first_seq
ORDER BY g.first_seq

-- name: significances
-- How significant some experiences were held to be, where that was judged.
SELECT seq, significance FROM experience
WHERE space = ? AND seq IN (SELECT value FROM json_each(?)) AND significance IS NOT NULL

-- name: space_of_id
-- The space in which an id of Meridia's own was captured.
SELECT s.name FROM entry e JOIN experience x ON x.space = e.space AND x.seq = e.seq
JOIN space s ON s.number = e.space WHERE e.id = ?

-- name: speakers
-- Who spoke, under whatever name: how many experiences, in how many sessions, first and last time.
SELECT coalesce(i.canonical, x.person), count(*), count(DISTINCT x.session), min(x.at), max(x.at),
       max(x.seq)
FROM experience x LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = ? AND x.person IS NOT NULL
GROUP BY 1 ORDER BY count(*) DESC, 1

-- name: supersede
-- Marks the version of a memory that a later one corrects.
UPDATE experience SET superseded_by = :seq
WHERE space = :space AND superseded_by IS NULL AND seq < :seq
  AND seq = (SELECT seq FROM entry WHERE id = :corrected AND space = :space)

-- name: superseded
-- What had been corrected by then: sequence, id, and the sequence of the next version.
SELECT x.seq, x.id, x.superseded_by
FROM experience x INDEXED BY experience_superseded
CROSS JOIN experience n ON n.space = x.space AND n.seq = x.superseded_by
WHERE x.space = :space AND x.superseded_by IS NOT NULL
  AND (:until IS NULL OR n.at < :until) AND (:seq_max IS NULL OR n.seq <= :seq_max)

-- name: update_affect
-- How one experience was lived, in the columns that people ask for.
UPDATE experience SET emotional_primary = :primary, emotional_intensity = :intensity,
    emotional_valence = :valence, engagement_quality = :engagement
WHERE space = :space AND seq = (SELECT seq FROM entry WHERE id = :id)

-- name: update_evaluation
-- What the re-evaluation of one experience found.
UPDATE experience SET status = :status, significance = coalesce(:significance, significance)
WHERE space = :space AND seq = (SELECT seq FROM entry WHERE id = :id) RETURNING seq

-- name: update_text
-- Another text of one experience: its whole event was erased, or came back.
UPDATE experience SET text_hash = :text_hash, words = :words, traits = (traits & 496) | :traits
WHERE space = :space AND seq = :seq
