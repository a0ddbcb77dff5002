-- Whether a space's full text is still that of an older version.
SELECT 1 FROM full_text_unmade WHERE space = ?
