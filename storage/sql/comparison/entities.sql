-- The list of entities, to be compared.
SELECT * FROM entity WHERE space = ? ORDER BY id
