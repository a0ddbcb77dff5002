-- Some memories with those that say the same words again, by the same speaker.
WITH said (seq) AS MATERIALIZED (
    SELECT coalesce(first.seq, p.seq) FROM json_each(:seqs) memory
    CROSS JOIN payload p ON p.seq = memory.value
    LEFT JOIN entry first ON first.id = p.body ->> '$.duplicate_of' AND first.space = :space),
again (seq) AS (
    SELECT seq FROM said
    UNION
    SELECT a.seq FROM said s CROSS JOIN about a ON a.space = :space AND a.memory = s.seq
    CROSS JOIN entry e ON e.space = :space AND e.seq = a.seq AND e.kind = 'ExperienceCaptured')
SELECT x.seq FROM again s CROSS JOIN experience x ON x.space = :space AND x.seq = s.seq
CROSS JOIN payload p ON p.seq = x.seq
