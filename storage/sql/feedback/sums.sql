-- The hundredths that memories got, as of a sequence and a time: all but "ignored", and those.
SELECT e.memory,
       sum(CASE WHEN e.how <> 'ignored' THEN e.hundredths ELSE 0 END),
       sum(CASE WHEN e.how = 'ignored' THEN e.hundredths ELSE 0 END)
FROM feedback_effect e
WHERE e.space = :space
  AND e.memory IN (SELECT value FROM json_each(:memories))
  AND e.feedback <= :until
  AND e.feedback NOT IN (
        SELECT f.seq FROM reconstitution_feedback f
        WHERE f.space = :space AND f.taken_back <= :until
          AND (:moment IS NULL OR f.taken_back_at <= :moment))
  AND (:moment IS NULL OR e.feedback IN (
        SELECT f.seq FROM reconstitution_feedback f
        WHERE f.space = :space AND f.ts <= :moment))
GROUP BY e.memory
