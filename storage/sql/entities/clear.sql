-- Drops a space's entities before a rebuild.
DELETE FROM entity WHERE space = ?
