-- Takes one person for another, or, where both are one, for somebody of their own.
INSERT INTO person_merge (space, person, into_person) VALUES (:space, :person, :into)
ON CONFLICT (space, person) DO UPDATE SET into_person = excluded.into_person
