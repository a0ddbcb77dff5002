-- What became of every event: kept ones by the list, the others by the trace.
SELECT outcome, count(*) FROM experience WHERE space = :space GROUP BY outcome
UNION ALL
SELECT CASE decision WHEN 'error' THEN 'refused' ELSE decision END, count(*) FROM trace
WHERE space = :space AND kind = 'event' AND decision IN ('redelivered', 'empty', 'error')
GROUP BY decision
