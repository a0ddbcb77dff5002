-- name: begun
-- Notes a forgetting that is to be finished outside of the file.
INSERT INTO forgetting (space, seq, unfinished) VALUES (:space, :seq, 1)

-- name: chosen
-- The memories that are asked for, whoever may see them, and earlier versions too.
WITH candidate (seq) AS (
    SELECT value FROM json_each(:seqs) WHERE :seqs IS NOT NULL
    UNION ALL
    SELECT e.seq FROM entry e INDEXED BY entry_by_stream
    WHERE :seqs IS NULL AND :session IS NOT NULL AND e.space = :space AND e.stream = :session
    UNION ALL
    SELECT x.seq FROM experience x INDEXED BY experience_by_person
    WHERE :seqs IS NULL AND :session IS NULL AND :people IS NOT NULL AND x.space = :space
      AND x.person IN (SELECT value FROM json_each(:people))
    UNION ALL
    SELECT x.seq FROM experience x
    WHERE :seqs IS NULL AND :session IS NULL AND :people IS NULL AND x.space = :space)
SELECT DISTINCT x.seq
FROM candidate c
CROSS JOIN experience x ON x.space = :space AND x.seq = c.seq
CROSS JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE (:people IS NULL OR x.person IN (SELECT value FROM json_each(:people)))
  AND (:session IS NULL OR x.session = :session)
  AND (:before IS NULL OR x.at < :before)
  AND (:kind IS NULL OR x.kind = :kind)
  AND {include fragments/metadata_conditions}
ORDER BY x.seq

-- name: cleaned
-- Notes that pages were cleaned: other connections read them again.
INSERT OR REPLACE INTO meta (name, value) VALUES ('clean pages', randomblob(8))

-- name: entries
-- Entries that say something about some memories, or about sessions told with them.
WITH candidate (seq) AS (
    SELECT value FROM json_each(:seqs)
    UNION
    SELECT a.seq FROM json_each(:seqs) memory
    CROSS JOIN about a ON a.space = :space AND a.memory = memory.value
    UNION
    SELECT a.seq FROM json_each(:sessions) session
    CROSS JOIN entry x INDEXED BY entry_by_stream ON x.space = :space AND x.stream = session.value
    CROSS JOIN about a ON a.space = :space AND a.memory = x.seq
    UNION
    SELECT e.seq FROM json_each(:sessions) session
    CROSS JOIN entry e INDEXED BY sqlite_autoindex_entry_3 ON e.space = :space
        AND e.kind = 'EpisodeSynthesised' AND e.key > session.value AND e.key < session.value || '~'
    UNION
    SELECT e.seq FROM json_each(
        '["PersonMet", "PersonNamed", "NameRefused", "PeopleMerged", "PeopleUnmerged",
          "RelationshipChanged"]') about_people
    CROSS JOIN entry e INDEXED BY sqlite_autoindex_entry_3
        ON e.space = :space AND e.kind = about_people.value
    WHERE :people <> '[]'
    UNION
    SELECT e.seq FROM entry e WHERE :everything AND e.space = :space)
SELECT e.seq, e.kind, e.id,
    CASE WHEN e.kind IN ('QuestionsAnticipated', 'FactAsserted', 'EntitiesMentioned')
        THEN unpack(p.body) END
FROM candidate c CROSS JOIN entry e ON e.space = :space AND e.seq = c.seq
CROSS JOIN payload p ON p.seq = e.seq
WHERE e.kind <> 'Forgotten' AND (
    :everything
    OR e.seq IN (SELECT value FROM json_each(:seqs))
    OR (e.kind NOT IN ('ExperienceCaptured', 'FeedbackGiven')
        AND unpack(p.body) ->> '$.experience' IN (SELECT value FROM json_each(:ids)))
    OR (e.kind = 'MemoryReinforced'
        AND unpack(p.body) ->> '$.canonical' IN (SELECT value FROM json_each(:ids)))
    OR (e.kind = 'EpisodeSynthesised' AND (
        unpack(p.body) ->> '$.session' IN (SELECT value FROM json_each(:sessions))
        OR EXISTS (SELECT 1 FROM json_each(unpack(p.body), '$.sources') source
            WHERE source.value IN (SELECT value FROM json_each(:ids)))))
    OR (e.kind = 'StateTransitioned' AND unpack(p.body) ->> '$.from' IS NOT NULL
        AND unpack(p.body) ->> '$.session' IN (SELECT value FROM json_each(:sessions)))
    OR (e.kind IN ('ExperienceEnriched', 'EntitiesMentioned', 'FactAsserted')
        AND (e.key LIKE '%#session%' OR (unpack(p.body) ->> '$.evidence' IS NOT NULL
            AND unpack(p.body) ->> '$.by' = 'model'))
        AND unpack(p.body) ->> '$.experience' IN (
            SELECT id FROM entry x INDEXED BY entry_by_stream
            WHERE x.space = :space AND x.stream IN (SELECT value FROM json_each(:sessions))))
    OR (e.kind IN ('PersonMet', 'PersonNamed', 'NameRefused', 'PeopleMerged', 'PeopleUnmerged',
            'RelationshipChanged')
        AND (unpack(p.body) ->> '$.person' IN (SELECT value FROM json_each(:people))
            OR unpack(p.body) ->> '$.into' IN (SELECT value FROM json_each(:people)))))
ORDER BY e.seq

-- name: erase_effects
-- Takes away what feedback gave some memories, and what erased feedback gave any.
DELETE FROM feedback_effect
WHERE space = :space AND (
    feedback IN (SELECT value FROM json_each(:entries))
    OR memory IN (SELECT value FROM json_each(:seqs)))

-- name: erase_every_vector
-- Erases all vectors of a space of which everything is forgotten.
DELETE FROM embedding WHERE space = :space AND :everything

-- name: erase_facts
-- Takes what some entries said of facts out of the index.
DELETE FROM fact_entry
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))

-- name: erase_feedback
-- Takes feedback out of its table.
DELETE FROM reconstitution_feedback
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))

-- name: erase_full_text
-- Erases the terms of memories that are forgotten.
DELETE FROM full_text WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))

-- name: erase_held
-- Erases the held events of some memories.
DELETE FROM provisional
WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))

-- name: erase_listed
-- Takes some memories off the list.
DELETE FROM experience
WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))

-- name: erase_packs
-- Deletes kept packs.
DELETE FROM pack
WHERE space = :space AND id IN (SELECT value FROM json_each(:answers))

-- name: erase_payloads
-- Erases what entries said; their headers stay, and the chain with them.
DELETE FROM payload
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))

-- name: erase_people
-- Takes people who said nothing that is left off the list.
DELETE FROM relationship
WHERE space = :space AND user_id IN (SELECT value FROM json_each(:speechless))

-- name: erase_recalls
-- Deletes kept recalls.
DELETE FROM recall
WHERE space = :space AND id IN (SELECT value FROM json_each(:answers))

-- name: erase_references
-- Drops what was about some memories.
DELETE FROM about
WHERE space = :space AND memory IN (SELECT value FROM json_each(:seqs))

-- name: erase_sessions
-- Drops what is remembered of sessions of which nothing is left.
DELETE FROM session_state
WHERE space = :space AND session IN (SELECT value FROM json_each(:sessions))
  AND NOT EXISTS (
    SELECT 1 FROM entry e INDEXED BY entry_by_stream
    CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
    WHERE e.space = :space AND e.stream = session_state.session)

-- name: erase_tasks
-- Takes back the work that is to be done on some entries.
DELETE FROM task
WHERE space = :space AND seq IN (SELECT value FROM json_each(:entries))

-- name: erase_tokens
-- Erases the token vectors of some memories, of every model.
DELETE FROM token_vectors
WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))

-- name: erase_trace
-- Deletes the lines of the trace about what is no more.
DELETE FROM trace INDEXED BY trace_by_subject
WHERE space = :space AND subject IN (SELECT value FROM json_each(:subjects))

-- name: erase_vectors
-- Erases vectors of texts that no memory says any more, of every model.
DELETE FROM embedding
WHERE space = :space AND text_hash IN (SELECT value FROM json_each(:hashes)) AND model IN (
    WITH RECURSIVE model (name) AS (
        SELECT min(model) FROM embedding WHERE space = :space
        UNION
        SELECT (SELECT min(e.model) FROM embedding e WHERE e.space = :space AND e.model > m.name)
        FROM model m WHERE m.name IS NOT NULL)
    SELECT name FROM model)
  AND NOT EXISTS (
    SELECT 1 FROM experience x WHERE x.space = :space AND x.text_hash = embedding.text_hash)

-- name: erase_whole_trace
-- Deletes all lines of the trace of a space of which everything is forgotten.
DELETE FROM trace WHERE space = :space AND :everything

-- name: erased_count
-- How many entries of a space were erased.
SELECT count(*) FROM entry e
WHERE e.space = :space AND NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq)

-- name: feedback
-- Feedback that was given on some memories, among others, and whether it stands.
SELECT DISTINCT e.seq, e.kind, e.id, p.body, e.at, f.taken_back
FROM json_each(:seqs) memory
CROSS JOIN about a ON a.space = :space AND a.memory = memory.value
CROSS JOIN entry e ON e.space = :space AND e.seq = a.seq AND e.kind = 'FeedbackGiven'
CROSS JOIN payload p ON p.seq = e.seq
LEFT JOIN reconstitution_feedback f ON f.space = e.space AND f.seq = e.seq
ORDER BY e.seq

-- name: finished
-- Notes that a forgetting is finished.
UPDATE forgetting SET unfinished = 0 WHERE space = :space AND seq = :seq

-- name: first_words
-- Of people and the first of their words that go, those with none before: the first that stay.
SELECT gone.value ->> 0, (
    SELECT min(x.seq) FROM experience x INDEXED BY experience_by_person
    WHERE x.space = :space AND x.person = gone.value ->> 0
      AND x.kind NOT IN ('assistant_message', 'tool_result')
      AND x.seq NOT IN (SELECT value FROM json_each(:seqs)))
FROM json_each(:gone) gone
WHERE NOT EXISTS (
    SELECT 1 FROM experience x INDEXED BY experience_by_person
    WHERE x.space = :space AND x.person = gone.value ->> 0
      AND x.kind NOT IN ('assistant_message', 'tool_result') AND x.seq < gone.value ->> 1)

-- name: in_runs
-- The entries of runs of sequences that still have their payload.
SELECT e.seq, e.kind, e.id FROM json_each(:runs) run
CROSS JOIN entry e ON e.space = :space AND e.seq BETWEEN run.value ->> 0 AND run.value ->> 1
CROSS JOIN payload p ON p.seq = e.seq
ORDER BY e.seq

-- name: is_any_before
-- Whether any memory, of a kind or any, is of before a time.
SELECT 1 FROM experience x
WHERE x.space = :space AND (:kind IS NULL OR x.kind = :kind) AND x.at < :before LIMIT 1

-- name: is_clean
-- Whether a file never kept what was deleted, or was compacted since.
SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'clean pages')

-- name: is_erased
-- Whether any of some experiences or facts, by id, was erased.
SELECT 1 FROM entry e
WHERE e.space = :space AND e.seq IN (
    SELECT seq FROM entry WHERE id IN (SELECT value FROM json_each(:ids))
    UNION SELECT seq FROM entry INDEXED BY sqlite_autoindex_entry_3
    WHERE space = :space AND kind = 'FactAsserted' AND key IN (SELECT value FROM json_each(:ids)))
  AND NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq)
LIMIT 1

-- name: is_forgotten
-- Whether the memory of an id, Meridia's or the caller's, was erased.
SELECT 1 FROM entry e
WHERE e.space = :space AND e.seq IN (
    SELECT seq FROM entry WHERE id = :id
    UNION SELECT seq FROM entry
    WHERE space = :space AND kind = 'ExperienceCaptured' AND key = :id)
  AND e.kind = 'ExperienceCaptured'
  AND NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq)
LIMIT 1

-- name: keep_key
-- Keeps the key that receipts are made with; the first one stays.
INSERT OR IGNORE INTO meta (name, value) VALUES ('receipt key', :key)

-- name: kept_answers
-- Every kept recall and pack of a space, with its content.
SELECT 'recall', id, body FROM recall WHERE space = :space
UNION ALL SELECT 'pack', id, body FROM pack WHERE space = :space

-- name: key
-- The key that receipts are made with.
SELECT value FROM meta WHERE name = 'receipt key'

-- name: memories
-- What the places of some memories are found by: ids, hashes, and the text that is indexed.
SELECT x.seq, x.id, x.event_id, x.kind, x.person, x.session, x.text_hash,
    coalesce(h.body, p.body)
FROM experience x
LEFT JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = :space AND x.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY x.seq

-- name: merges
-- Merges of entities that no memory mentions any more but these.
WITH lost (id) AS (
    SELECT value FROM json_each(:entities)
    EXCEPT
    SELECT mention.value ->> '$.id'
    FROM entry e INDEXED BY sqlite_autoindex_entry_3
    JOIN payload p ON p.seq = e.seq, json_each(p.body, '$.entities') mention
    WHERE e.space = :space AND e.kind = 'EntitiesMentioned'
      AND e.seq NOT IN (SELECT value FROM json_each(:seqs)))
SELECT e.seq, e.kind, e.id, NULL FROM entry e INDEXED BY sqlite_autoindex_entry_3
JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.kind IN ('EntitiesMerged', 'EntitiesUnmerged')
  AND (p.body ->> '$.entity' IN lost OR p.body ->> '$.into' IN lost)

-- name: mentions_gone
-- The entities that some entries mention: how often, whether first, and whether that tells all.
WITH gone (id, seq) AS MATERIALIZED (
    SELECT mention.value ->> '$.id', e.seq
    FROM json_each(:entries) chosen
    CROSS JOIN entry e ON e.space = :space AND e.seq = chosen.value AND e.kind = 'EntitiesMentioned'
    JOIN payload p ON p.seq = e.seq, json_each(unpack(p.body), '$.entities') mention)
SELECT g.id, count(*) AS times, min(g.seq) <= x.first_seq AS is_first,
    x.merged_into IS NULL AND x.first_seq IS NOT NULL AS is_known
FROM gone g CROSS JOIN entity x ON x.space = :space AND x.id = g.id
GROUP BY g.id

-- name: newest
-- The newest forgetting of a space.
SELECT max(seq) FROM forgetting WHERE space = :space

-- name: next_mention
-- What an entity is called where it is mentioned next after an entry.
SELECT e.seq, mention.value ->> '$.type', mention.value ->> '$.name'
FROM entry e INDEXED BY entry_by_kind
JOIN payload p ON p.seq = e.seq, json_each(unpack(p.body), '$.entities') mention
WHERE e.space = :space AND e.kind = 'EntitiesMentioned'
  AND e.seq > (
    SELECT first_seq FROM entity WHERE space = :space AND id = :id AND mentions > 0)
  AND mention.value ->> '$.id' = :id
ORDER BY e.seq LIMIT 1

-- name: note_changes
-- Notes which memories have no terms any more.
INSERT INTO text_change (space, seq) SELECT :space, value FROM json_each(:seqs)

-- name: relationships
-- What people had become to the agent before their first words that stay, and whether it holds.
WITH change (seq, id, body, at, person) AS MATERIALIZED (
    SELECT e.seq, e.id, p.body, e.at, p.body ->> '$.person'
    FROM entry e INDEXED BY sqlite_autoindex_entry_3 JOIN payload p ON p.seq = e.seq
    WHERE e.space = :space AND e.kind = 'RelationshipChanged')
SELECT c.seq, 'RelationshipChanged', c.id, c.body, c.at,
    NOT EXISTS (SELECT 1 FROM change later WHERE later.person = c.person AND later.seq > c.seq)
FROM change c JOIN json_each(:first_words) first ON first.key = c.person AND c.seq < first.value
ORDER BY c.seq

-- name: rename_person
-- Lists a person by the name that is now the first that was given.
UPDATE relationship SET display_name = :name WHERE space = :space AND user_id = :person

-- name: reopen_sessions
-- Has sessions read anew of which something is left, and told again.
UPDATE session_state
SET history = NULL, seq = NULL, register = NULL, over = max(over, told), told = 0
WHERE space = :space AND session IN (SELECT value FROM json_each(:sessions))

-- name: repeated
-- Some memories with those that say the same words again, by the same speaker.
WITH said (seq) AS MATERIALIZED (
    SELECT coalesce(first.seq, p.seq) FROM json_each(:seqs) memory
    CROSS JOIN payload p ON p.seq = memory.value
    LEFT JOIN entry first ON first.id = p.body ->> '$.duplicate_of' AND first.space = :space),
again (seq) AS (
    SELECT seq FROM said
    UNION
    SELECT a.seq FROM said s CROSS JOIN about a ON a.space = :space AND a.memory = s.seq
    CROSS JOIN entry e ON e.space = :space AND e.seq = a.seq AND e.kind = 'ExperienceCaptured')
SELECT x.seq FROM again s CROSS JOIN experience x ON x.space = :space AND x.seq = s.seq
CROSS JOIN payload p ON p.seq = x.seq

-- name: silenced
-- Of some people, those of whom no memory is left but these.
SELECT person.value FROM json_each(:people) person
WHERE NOT EXISTS (
    SELECT 1 FROM experience x WHERE x.space = :space AND x.person = person.value
      AND x.seq NOT IN (SELECT value FROM json_each(:seqs)))

-- name: still_there
-- Of a run of sequences, the entries that still have their payload.
SELECT e.seq FROM entry e JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.seq BETWEEN :first AND :last LIMIT 1

-- name: supersessions
-- What was said of some facts that are no more, and of those that they ended.
SELECT e.seq, e.kind, e.id, NULL FROM entry e INDEXED BY sqlite_autoindex_entry_3
JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.kind = 'FactSuperseded' AND (
    p.body ->> '$.fact' IN (SELECT value FROM json_each(:facts))
    OR p.body ->> '$.by_fact' IN (SELECT value FROM json_each(:facts)))

-- name: unfinished
-- Forgettings of any space that were not finished.
SELECT s.name, f.seq FROM forgetting f JOIN space s ON s.number = f.space
WHERE f.unfinished = 1 ORDER BY f.seq

-- name: versions
-- Some memories with all their versions: what each corrects, and what corrects it.
WITH RECURSIVE version (seq) AS (
    SELECT value FROM json_each(:seqs)
    UNION
    SELECT x.seq FROM experience x JOIN version v ON x.superseded_by = v.seq
    WHERE x.space = :space
    UNION
    SELECT x.superseded_by FROM experience x JOIN version v ON x.seq = v.seq
    WHERE x.space = :space AND x.superseded_by IS NOT NULL)
SELECT seq FROM version
