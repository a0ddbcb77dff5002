-- Deletes the lines of the trace about what is no more.
DELETE FROM trace INDEXED BY trace_by_subject
WHERE space = :space AND subject IN (SELECT value FROM json_each(:subjects))
