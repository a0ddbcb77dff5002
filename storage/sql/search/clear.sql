-- Removes a space's full text before a rebuild.
DELETE FROM full_text WHERE space = ?
