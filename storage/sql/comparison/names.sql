-- The names of people, and who is taken for whom, to be compared.
SELECT person, folded, name, how, state, since FROM person_name WHERE space = ?1
UNION ALL SELECT person, into_person, NULL, NULL, NULL, NULL FROM person_merge WHERE space = ?1
ORDER BY 1, 2
