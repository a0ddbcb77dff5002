-- The hundredths that memories got, as of a sequence and a time: all but "ignored", and those.
SELECT e.memory,
       sum(CASE WHEN e.how <> 'ignored' THEN e.hundredths ELSE 0 END),
       sum(CASE WHEN e.how = 'ignored' THEN e.hundredths ELSE 0 END)
FROM feedback_effect e
JOIN reconstitution_feedback f ON f.space = e.space AND f.seq = e.feedback
WHERE e.space = :space
  AND e.memory IN (SELECT value FROM json_each(:memories))
  AND f.seq <= :until
  AND (:moment IS NULL OR f.ts <= :moment)
  AND (f.taken_back IS NULL OR f.taken_back > :until OR f.taken_back_at > :moment)
GROUP BY e.memory
