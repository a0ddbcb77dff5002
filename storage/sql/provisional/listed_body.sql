-- The body that an experience is listed by, when its event was not held for good already.
SELECT coalesce(h.body, p.body) FROM payload p LEFT JOIN provisional h ON h.seq = p.seq
WHERE p.seq = ?
