-- The list of experiences, to be compared.
SELECT * FROM experience WHERE space = ? ORDER BY seq
