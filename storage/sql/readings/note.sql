-- Takes up what entries after a sequence replace: read in its place, and not where they stand.
INSERT OR REPLACE INTO reading (seq, space, shown, since)
SELECT CASE side.value WHEN 0 THEN old.seq ELSE new.seq END, e.space,
    CASE side.value WHEN 0 THEN new.seq END, e.seq
FROM entry e CROSS JOIN payload p ON p.seq = e.seq
CROSS JOIN json_each(unpack(p.body), '$.replaces') j
CROSS JOIN entry old ON old.space = e.space AND old.seq = j.value ->> 0
LEFT JOIN entry new ON new.space = e.space AND new.kind = old.kind AND new.key = j.value ->> 1
JOIN json_each('[0, 1]') side
WHERE e.space = ? AND e.seq > ? AND e.kind IN ('ExperienceEnriched', 'EpisodeSynthesised')
  AND (side.value = 0 OR new.seq IS NOT NULL)
ORDER BY e.seq
