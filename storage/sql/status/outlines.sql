-- Outlines: how many, the mean size of what the journal keeps of one, how many are still held.
SELECT count(*), avg(length(CAST(p.body AS BLOB))),
       (SELECT count(*) FROM provisional WHERE space = :space AND expires_at IS NOT NULL)
FROM experience x JOIN payload p ON p.seq = x.seq
WHERE x.space = :space AND json_type(p.body, '$.skeleton') IS NOT NULL
