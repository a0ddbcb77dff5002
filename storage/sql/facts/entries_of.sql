-- The entries about one fact.
SELECT seq FROM fact_entry INDEXED BY fact_entry_by_fact WHERE space = ? AND fact = ? ORDER BY seq
