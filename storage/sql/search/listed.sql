-- The next memories of a space, with what each is listed by.
SELECT x.seq, coalesce(h.body, p.body)
FROM experience x
LEFT JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = ? AND x.seq > ?
ORDER BY x.seq
LIMIT ?
