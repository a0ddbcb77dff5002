-- How many captured experiences still have their payload.
SELECT count(*) FROM entry e JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.kind = 'ExperienceCaptured'
