-- name: clear
-- Drops what is read otherwise in a space, before a rebuild.
DELETE FROM reading WHERE space = ?

-- name: count
-- How many memories were read anew after a sequence, and read otherwise.
SELECT count(DISTINCT g.since)
FROM reading g JOIN entry e ON e.space = g.space AND e.seq = g.since
WHERE g.space = ? AND g.since > ? AND e.kind = 'ExperienceEnriched'

-- name: is_outdated
-- Whether entries up to `:until` are read otherwise since `:since`, or are of somebody else.
SELECT 1 FROM reading WHERE space = :space AND since > :since AND seq <= :until
UNION ALL
SELECT 1 FROM person_change WHERE space = :space AND since > :since AND first <= :until LIMIT 1

-- name: newest
-- The last sequence by which anything in a space is read otherwise.
SELECT coalesce(max(since), 0) FROM reading WHERE space = ?

-- name: note
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
