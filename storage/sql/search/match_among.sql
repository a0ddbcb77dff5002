-- The best matches by BM25 among what filters leave; the plus: matched once, not once for each.
SELECT s.rowid, -s.rank FROM {search} s
WHERE s.{search} MATCH ? AND +s.rowid IN (SELECT value FROM json_each(?))
ORDER BY s.rank LIMIT ?
