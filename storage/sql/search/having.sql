-- The experiences after a sequence that have a term.
SELECT rowid FROM {search} WHERE {search} MATCH ? AND rowid > ?
