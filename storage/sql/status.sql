-- name: nodes
-- How many nodes of each label the adjacency knows.
SELECT label, count(*) FROM node WHERE space = ? GROUP BY label ORDER BY label

-- name: outcomes
-- What became of every event: kept ones by the list, the others by the trace.
SELECT outcome, count(*) FROM experience WHERE space = :space GROUP BY outcome
UNION ALL
SELECT CASE decision WHEN 'error' THEN 'refused' ELSE decision END, count(*) FROM trace
WHERE space = :space AND kind = 'event' AND decision IN ('redelivered', 'empty', 'error')
GROUP BY decision

-- name: outlines
-- Outlines: how many, the mean size of what the journal keeps of one, how many are still held.
SELECT count(*), avg(length(CAST(p.body AS BLOB))),
       (SELECT count(*) FROM provisional WHERE space = :space AND expires_at IS NOT NULL)
FROM experience x JOIN payload p ON p.seq = x.seq
WHERE x.space = :space AND json_type(p.body, '$.skeleton') IS NOT NULL

-- name: redactions
-- How much was redacted, by kind, as the trace tells.
SELECT r.key, sum(r.value) FROM trace t, json_each(unpack(t.detail), '$.redacted') r
WHERE t.space = ? AND t.kind = 'event' GROUP BY r.key ORDER BY r.key

-- name: statuses
-- How far the experiences of a space have been judged.
SELECT status, count(*) FROM experience WHERE space = ? GROUP BY status ORDER BY status
