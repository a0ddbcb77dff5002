-- Vectors of a run of experiences, in journal order; a long text has several parts.
SELECT x.seq, v.vector FROM experience x
JOIN embedding v ON v.space = x.space AND v.model = ? AND v.text_hash = x.text_hash
WHERE x.space = ? AND x.seq > ? AND x.seq <= ? ORDER BY x.seq, v.part
