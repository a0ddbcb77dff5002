-- In how many memories of the space a term occurs.
SELECT term, doc FROM {search}_vocabulary WHERE term IN (SELECT value FROM json_each(?))
