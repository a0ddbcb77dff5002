-- The first thing that a person said.
SELECT min(seq) FROM experience INDEXED BY experience_by_person WHERE space = ? AND person = ?
