-- Feedback that was given on some memories, among others, and whether it stands.
SELECT DISTINCT e.seq, e.kind, e.id, p.body, e.at, f.taken_back
FROM json_each(:seqs) memory
CROSS JOIN about a ON a.space = :space AND a.memory = memory.value
CROSS JOIN entry e ON e.space = :space AND e.seq = a.seq AND e.kind = 'FeedbackGiven'
CROSS JOIN payload p ON p.seq = e.seq
LEFT JOIN reconstitution_feedback f ON f.space = e.space AND f.seq = e.seq
ORDER BY e.seq
