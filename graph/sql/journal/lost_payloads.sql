-- Payloads whose entry is gone, or is another space's.
SELECT p.seq FROM payload p LEFT JOIN entry e ON e.seq = p.seq
WHERE (p.space = :space AND (e.seq IS NULL OR e.space <> p.space))
   OR (e.space = :space AND e.space <> p.space) ORDER BY p.seq LIMIT 100
