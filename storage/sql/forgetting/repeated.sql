-- Some memories with those that say the same words again, by the same speaker.
WITH said (id) AS (
    SELECT coalesce(p.body ->> '$.duplicate_of', x.id)
    FROM experience x JOIN payload p ON p.seq = x.seq
    WHERE x.space = :space AND x.seq IN (SELECT value FROM json_each(:seqs)))
SELECT x.seq FROM experience x JOIN payload p ON p.seq = x.seq
WHERE x.space = :space AND (x.id IN said OR p.body ->> '$.duplicate_of' IN said)
