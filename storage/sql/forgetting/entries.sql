-- Entries that say something about some memories, or about sessions told with them.
SELECT e.seq, e.kind, e.id,
    CASE WHEN e.kind IN ('QuestionsAnticipated', 'FactAsserted', 'EntitiesMentioned')
        THEN unpack(p.body) END
FROM entry e JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.kind <> 'Forgotten' AND (
    :everything
    OR e.seq IN (SELECT value FROM json_each(:seqs))
    OR (e.kind <> 'ExperienceCaptured'
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
        AND (e.key LIKE '%#session%' OR unpack(p.body) ->> '$.evidence' IS NOT NULL)
        AND unpack(p.body) ->> '$.experience' IN (
            SELECT id FROM experience x WHERE x.space = :space
              AND x.session IN (SELECT value FROM json_each(:sessions))))
    OR (e.kind IN ('PersonMet', 'PersonNamed', 'NameRefused', 'PeopleMerged', 'PeopleUnmerged',
            'RelationshipChanged')
        AND (unpack(p.body) ->> '$.person' IN (SELECT value FROM json_each(:people))
            OR unpack(p.body) ->> '$.into' IN (SELECT value FROM json_each(:people)))))
ORDER BY e.seq
