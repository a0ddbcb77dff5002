-- name: add
-- Stores the terms of one memory, in the transaction that captured it.
INSERT OR REPLACE INTO full_text (space, seq, terms) VALUES (?, ?, ?)

-- name: change
-- Notes that a memory has other terms now, or none, for who holds those it had.
INSERT INTO text_change (space, seq) VALUES (?, ?)

-- name: changes
-- Which memories of a space have other terms, or none, since a change.
SELECT number, seq FROM text_change WHERE space = ? AND number > ? ORDER BY number

-- name: clear
-- Removes a space's full text before a rebuild.
DELETE FROM full_text WHERE space = ?

-- name: documents
-- The terms of what came after a sequence, and of some memories that changed, in order.
SELECT seq, terms FROM full_text WHERE space = ?1 AND seq > ?2
UNION ALL
SELECT f.seq, f.terms FROM json_each(?3) changed
CROSS JOIN full_text f ON f.space = ?1 AND f.seq = changed.value
WHERE f.seq <= ?2
ORDER BY 1

-- name: drop
-- Drops the full text that an older version had of a space.
DROP TABLE IF EXISTS {search}

-- name: drop_vocabulary
-- Drops an older version's view of a space's terms.
DROP TABLE IF EXISTS {search}_vocabulary

-- name: is_unmade
-- Whether a space's full text is still that of an older version.
SELECT 1 FROM full_text_unmade WHERE space = ?

-- name: last_change
-- The last change of a space's texts.
SELECT coalesce(max(number), 0) FROM text_change WHERE space = ?

-- name: listed
-- The next memories of a space, with what each is listed by.
SELECT x.seq, coalesce(h.body, p.body)
FROM experience x
LEFT JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = ? AND x.seq > ?
ORDER BY x.seq
LIMIT ?

-- name: made
-- Notes that nothing of an older version is left of a space's full text.
DELETE FROM full_text_unmade WHERE space = ?
