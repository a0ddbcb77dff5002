-- Whether a file never kept what was deleted, or was compacted since.
SELECT EXISTS (SELECT 1 FROM meta WHERE name = 'clean pages')
