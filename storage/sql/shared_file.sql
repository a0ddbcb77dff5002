-- name: cursors
-- How far the passes are whose results are entries, in spaces that were appended to.
SELECT s.number, s.name, c.projection, c.version, c.seq
FROM space s JOIN cursor c ON c.space = s.number
WHERE s.head_seq > ? AND c.projection IN ('enrichment', 'associations', 'opinions')

-- name: forgettings
-- What was forgotten after a sequence.
SELECT s.name, unpack(p.body) FROM payload p
JOIN entry e ON e.space = p.space AND e.seq = p.seq AND e.kind = 'Forgotten'
JOIN space s ON s.number = p.space
WHERE p.seq > ? ORDER BY p.seq

-- name: set_receipt_key
-- Receipts are made with the key of the shared journal.
INSERT OR REPLACE INTO meta (name, value) VALUES ('receipt key', ?)

-- name: space_name
-- The name of a space by its number in the file.
SELECT name FROM space WHERE number = ?

-- name: set_followed
-- The file follows a shared journal: nothing is appended without that.
INSERT OR REPLACE INTO meta (name, value) VALUES ('followed journal', ?)

-- name: followed
-- Where the shared journal is that the file follows.
SELECT value FROM meta WHERE name = 'followed journal'

-- name: follow_none
-- A copy is a journal of its own.
DELETE FROM meta WHERE name = 'followed journal'
