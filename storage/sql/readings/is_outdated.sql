-- Whether the first entries of a journal are read otherwise now, or are of somebody else.
SELECT 1 FROM reading WHERE space = :space AND since > :until AND seq <= :until
UNION ALL
SELECT 1 FROM person_change WHERE space = :space AND since > :until AND first <= :until LIMIT 1
