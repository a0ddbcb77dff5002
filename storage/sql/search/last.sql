-- The last change of a space's full text.
SELECT coalesce(max(number), 0) FROM text_change WHERE space = ?
