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
