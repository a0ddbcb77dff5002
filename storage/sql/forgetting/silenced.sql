-- Of some people, those of whom no memory is left but these.
SELECT person.value FROM json_each(:people) person
WHERE NOT EXISTS (
    SELECT 1 FROM experience x WHERE x.space = :space AND x.person = person.value
      AND x.seq NOT IN (SELECT value FROM json_each(:seqs)))
