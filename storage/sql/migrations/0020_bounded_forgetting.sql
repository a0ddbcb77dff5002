-- Which entries are about a memory; and from now on no file keeps what is deleted (`compact`).
INSERT OR IGNORE INTO meta (name, value)
SELECT 'clean pages', randomblob(8) WHERE NOT EXISTS (SELECT 1 FROM space);

CREATE TABLE IF NOT EXISTS about (
    space INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    PRIMARY KEY (space, memory, seq)
) STRICT, WITHOUT ROWID;
INSERT OR IGNORE INTO about (space, memory, seq)
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = unpack(p.body) ->> '$.experience' AND m.space = e.space
WHERE e.kind NOT IN ('ExperienceCaptured', 'FeedbackGiven', 'Forgotten')
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = p.body ->> '$.canonical' AND m.space = e.space
WHERE e.kind = 'MemoryReinforced'
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = p.body ->> '$.duplicate_of' AND m.space = e.space
WHERE e.kind = 'ExperienceCaptured'
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN json_each(p.body, '$.shown') shown
JOIN entry m ON m.id = shown.value AND m.space = e.space
WHERE e.kind = 'FeedbackGiven'
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN json_each(p.body, '$.effects') effect
JOIN entry m ON m.id = effect.key AND m.space = e.space
WHERE e.kind = 'FeedbackGiven';
