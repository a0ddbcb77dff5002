-- The payload that an entry `e` is read with: its own, or that of a later reading in its place.
LEFT JOIN reading r ON r.seq = e.seq
LEFT JOIN payload p ON p.seq = CASE WHEN r.seq IS NULL THEN e.seq ELSE r.shown END
