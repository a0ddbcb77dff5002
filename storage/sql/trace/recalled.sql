-- How many kept recalls of a space brought back each memory.
SELECT json_extract(hit.value, '$.id'), count(*) FROM recall r, json_each(r.body, '$.hits') hit
WHERE r.space = ? GROUP BY 1
