-- Drops what is read otherwise in a space, before a rebuild.
DELETE FROM reading WHERE space = ?
