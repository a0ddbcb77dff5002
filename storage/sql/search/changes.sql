-- Which memories of a space have other terms, or none, since a change.
SELECT number, seq FROM text_change WHERE space = ? AND number > ? ORDER BY number
