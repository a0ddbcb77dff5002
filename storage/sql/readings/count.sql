-- How many memories were read anew after a sequence, and read otherwise.
SELECT count(DISTINCT g.since)
FROM reading g JOIN entry e ON e.space = g.space AND e.seq = g.since
WHERE g.space = ? AND g.since > ? AND e.kind = 'ExperienceEnriched'
