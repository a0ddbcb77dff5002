-- Feedback that was given on some memories, among others, and whether it stands.
SELECT e.seq, e.kind, e.id, p.body, e.at, f.taken_back
FROM entry e INDEXED BY sqlite_autoindex_entry_3
JOIN payload p ON p.seq = e.seq
LEFT JOIN reconstitution_feedback f ON f.space = e.space AND f.seq = e.seq
WHERE e.space = :space AND e.kind = 'FeedbackGiven' AND (
    EXISTS (SELECT 1 FROM json_each(p.body, '$.shown') shown
        WHERE shown.value IN (SELECT value FROM json_each(:ids)))
    OR EXISTS (SELECT 1 FROM json_each(p.body, '$.effects') effect
        WHERE effect.key IN (SELECT value FROM json_each(:ids))))
ORDER BY e.seq
