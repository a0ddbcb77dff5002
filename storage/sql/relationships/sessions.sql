-- In how many sessions a person spoke, under all their names.
SELECT count(DISTINCT session) FROM experience
WHERE space = :space AND person IN (
    SELECT :person UNION SELECT i.person FROM person_identity i
    WHERE i.space = :space AND i.canonical = :person)
