-- Which memories entries are about, to be compared; what was erased is about none.
SELECT a.memory, a.seq FROM about a JOIN payload p ON p.seq = a.seq
WHERE a.space = ? ORDER BY a.memory, a.seq
