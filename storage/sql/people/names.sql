-- Every name that was learned, set or refused, in the order in which that was.
SELECT person, folded, name, how, state, since FROM person_name WHERE space = ?
ORDER BY since, person, folded
