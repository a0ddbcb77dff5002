-- The next experiences that full text lacks: what each is listed by, and when that is let go.
SELECT x.seq, h.expires_at, coalesce(h.body, p.body)
FROM experience x
LEFT JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = ? AND x.seq > ?
ORDER BY x.seq
LIMIT ?
