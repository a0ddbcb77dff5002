-- The names of people, to be compared.
SELECT person, folded, name, how, state, since FROM person_name WHERE space = ?
ORDER BY person, folded
