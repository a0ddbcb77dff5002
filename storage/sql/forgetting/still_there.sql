-- Of a run of sequences, the entries that still have their payload.
SELECT e.seq FROM entry e JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.seq BETWEEN :first AND :last LIMIT 1
