-- Forgettings of any space that were not finished.
SELECT s.name, f.seq FROM forgetting f JOIN space s ON s.number = f.space
WHERE f.unfinished = 1 ORDER BY f.seq
