-- name: add
-- One pack that was given: how it was asked for and what it cited.
INSERT INTO pack (space, id, at, mode, body) VALUES (?, ?, ?, ?, ?)

-- name: find
-- A kept pack by its id.
SELECT body FROM pack WHERE space = ? AND id = ?

-- name: latest
-- The latest packs of a space, newest first: ids grow with time.
SELECT body FROM pack WHERE space = ? ORDER BY id DESC LIMIT ?
