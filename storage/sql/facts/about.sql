-- All that was asserted and superseded about some subjects, in order.
SELECT e.kind, p.body, e.recorded_at FROM fact_entry f
JOIN entry e ON e.space = f.space AND e.seq = f.seq JOIN payload p ON p.seq = f.seq
WHERE f.space = ? AND f.subject IN (SELECT value FROM json_each(?)) ORDER BY e.seq
