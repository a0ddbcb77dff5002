-- How far the space that lags most is behind, by one projection.
SELECT max(s.head_seq - coalesce(c.seq, 0)) FROM space s
LEFT JOIN cursor c ON c.space = s.number AND c.projection = ? AND c.version = ?
