-- The next sequence of the file; AUTOINCREMENT never gives one twice.
SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'entry'), 0) + 1
