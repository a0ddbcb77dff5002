-- Drops a space's relationships before a rebuild.
DELETE FROM relationship WHERE space = ?
