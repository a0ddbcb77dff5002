-- The subject that a fact was filed under.
SELECT subject FROM fact_entry WHERE space = ? AND fact = ? LIMIT 1
