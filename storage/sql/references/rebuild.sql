-- Notes again which memories every entry of a space is about.
INSERT OR IGNORE INTO about (space, memory, seq)
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = unpack(p.body) ->> '$.experience' AND m.space = e.space
WHERE e.kind NOT IN ('ExperienceCaptured', 'FeedbackGiven', 'Forgotten') AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = p.body ->> '$.canonical' AND m.space = e.space
WHERE e.kind = 'MemoryReinforced' AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = p.body ->> '$.duplicate_of' AND m.space = e.space
WHERE e.kind = 'ExperienceCaptured' AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN json_each(p.body, '$.shown') shown
JOIN entry m ON m.id = shown.value AND m.space = e.space
WHERE e.kind = 'FeedbackGiven' AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN json_each(p.body, '$.effects') effect
JOIN entry m ON m.id = effect.key AND m.space = e.space
WHERE e.kind = 'FeedbackGiven' AND e.space = :space
