-- How many experiences a run of the journal has; no more are counted than asked for.
SELECT count(*) FROM (
    SELECT 1 FROM experience WHERE space = ? AND seq > ? AND seq <= ? LIMIT ?)
