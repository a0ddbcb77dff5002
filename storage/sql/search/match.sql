-- The best matches by BM25, which SQLite gives as a negative number.
SELECT rowid, -rank FROM {search} WHERE {search} MATCH ? ORDER BY rank LIMIT ?
