-- Every kept recall and pack of a space, with its content.
SELECT 'recall', id, body FROM recall WHERE space = :space
UNION ALL SELECT 'pack', id, body FROM pack WHERE space = :space
