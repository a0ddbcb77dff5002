-- Who was taken for whom, to be compared.
SELECT person, into_person FROM person_merge WHERE space = ? ORDER BY person
