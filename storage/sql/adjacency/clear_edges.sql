-- Drops a space's adjacency before a rebuild.
DELETE FROM edge WHERE space = ?
