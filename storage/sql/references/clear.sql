-- Drops which memories the entries of a space are about, before a rebuild.
DELETE FROM about WHERE space = ?
