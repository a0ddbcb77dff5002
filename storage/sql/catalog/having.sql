-- Those of some sequences whose metadata say what they must.
SELECT p.seq FROM json_each(:seqs) s CROSS JOIN payload p ON p.seq = s.value
LEFT JOIN provisional h ON h.seq = p.seq
WHERE {include fragments/metadata_conditions}
ORDER BY p.seq
