-- How many kept recalls of a space brought back each memory; see find_recall for the two forms.
SELECT coalesce(x.id, json_extract(h.value, '$.id')), count(*)
FROM recall r, json_each(r.body, '$.hits') h
LEFT JOIN experience x ON h.type = 'integer' AND x.space = r.space AND x.seq = h.value
WHERE r.space = ? GROUP BY 1
