-- The terms of what came after a sequence, and of some memories that changed, in order.
SELECT seq, terms FROM full_text WHERE space = ?1 AND seq > ?2
UNION ALL
SELECT f.seq, f.terms FROM json_each(?3) changed
CROSS JOIN full_text f ON f.space = ?1 AND f.seq = changed.value
WHERE f.seq <= ?2
ORDER BY 1
