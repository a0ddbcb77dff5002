-- Drops a space's list before a rebuild.
DELETE FROM experience WHERE space = ?
