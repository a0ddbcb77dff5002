-- Deletes the lines of the trace about what is no more.
DELETE FROM trace
WHERE space = :space AND (:everything OR subject IN (SELECT value FROM json_each(:subjects)))
