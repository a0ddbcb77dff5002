-- Drops the names of a space's people before a rebuild.
DELETE FROM person_name WHERE space = ?
