-- name: add
-- Notes that an entry is about some memories, by their ids; about a forgotten one nothing is.
INSERT OR IGNORE INTO about (space, memory, seq)
SELECT m.space, m.seq, :seq FROM json_each(:ids) named CROSS JOIN entry m ON m.id = named.value
WHERE +m.space = :space AND EXISTS (SELECT 1 FROM payload said WHERE said.seq = m.seq)

-- name: clear
-- Drops which memories the entries of a space are about, before a rebuild.
DELETE FROM about WHERE space = ?

-- name: entries_of
-- The entries about one memory, and its own.
SELECT seq FROM entry WHERE space = ?1 AND id = ?2
UNION SELECT a.seq FROM entry m CROSS JOIN about a ON a.space = m.space AND a.memory = m.seq
WHERE m.space = ?1 AND m.id = ?2 ORDER BY 1

-- name: rebuild
-- Notes again which memories that were not forgotten every entry of a space is about.
INSERT OR IGNORE INTO about (space, memory, seq)
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = unpack(p.body) ->> '$.experience' AND m.space = e.space
JOIN payload said ON said.seq = m.seq
WHERE e.kind NOT IN ('ExperienceCaptured', 'FeedbackGiven', 'Forgotten') AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = p.body ->> '$.canonical' AND m.space = e.space
JOIN payload said ON said.seq = m.seq
WHERE e.kind = 'MemoryReinforced' AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN entry m ON m.id = p.body ->> '$.duplicate_of' AND m.space = e.space
JOIN payload said ON said.seq = m.seq
WHERE e.kind = 'ExperienceCaptured' AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN json_each(p.body, '$.shown') shown
JOIN entry m ON m.id = shown.value AND m.space = e.space
JOIN payload said ON said.seq = m.seq
WHERE e.kind = 'FeedbackGiven' AND e.space = :space
UNION ALL
SELECT e.space, m.seq, e.seq
FROM entry e JOIN payload p ON p.seq = e.seq
JOIN json_each(p.body, '$.effects') effect
JOIN entry m ON m.id = effect.key AND m.space = e.space
JOIN payload said ON said.seq = m.seq
WHERE e.kind = 'FeedbackGiven' AND e.space = :space
