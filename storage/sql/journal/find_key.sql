-- The entry that already carries a key, with its payload if it was not erased.
SELECT e.seq, e.id, p.body, e.at FROM entry e LEFT JOIN payload p ON p.seq = e.seq
WHERE e.space = ? AND e.kind = ? AND e.key = ?
