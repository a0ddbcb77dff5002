-- Whether what was made of a journal's first entries was made of some that are read otherwise now.
SELECT 1 FROM reading WHERE space = :space AND since > :until AND seq <= :until LIMIT 1
