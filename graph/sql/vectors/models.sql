-- Which models a space's vectors come from, and how many.
SELECT model, count(DISTINCT text_hash) FROM embedding WHERE space = ? GROUP BY model
