-- Who was taken for whom; somebody of their own, for themselves.
SELECT person, into_person FROM person_merge WHERE space = ?
