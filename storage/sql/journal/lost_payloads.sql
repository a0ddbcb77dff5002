-- Payloads of a space whose entry is gone.
SELECT p.seq FROM payload p WHERE p.space = :space AND NOT EXISTS (
    SELECT 1 FROM entry e WHERE e.space = p.space AND e.seq = p.seq) ORDER BY p.seq LIMIT 100
