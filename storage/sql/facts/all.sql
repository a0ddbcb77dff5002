-- All that was asserted and superseded in a space, in order.
SELECT e.kind, p.body, e.recorded_at FROM fact_entry f
CROSS JOIN entry e ON e.space = f.space AND e.seq = f.seq JOIN payload p ON p.seq = f.seq
WHERE f.space = ? ORDER BY e.seq
