-- Takes away what feedback gave some memories, and what erased feedback gave any.
DELETE FROM feedback_effect
WHERE space = :space AND (
    feedback IN (SELECT value FROM json_each(:entries))
    OR memory IN (SELECT value FROM json_each(:seqs)))
