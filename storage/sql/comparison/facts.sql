-- The index of facts, to be compared.
SELECT * FROM fact_entry WHERE space = ? ORDER BY subject, seq
