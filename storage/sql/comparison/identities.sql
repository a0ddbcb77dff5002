-- Who is who among the people, to be compared.
SELECT * FROM person_identity WHERE space = ? ORDER BY person
