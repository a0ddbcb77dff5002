-- Notes that nothing of an older version is left of a space's full text.
DELETE FROM full_text_unmade WHERE space = ?
