-- How many entries of a space were erased.
SELECT count(*) FROM entry e
WHERE e.space = :space AND NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq)
