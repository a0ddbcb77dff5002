-- Takes up a name of a person: what a user said of it stands, whatever is learned later.
INSERT INTO person_name (space, person, folded, name, how, state, since)
VALUES (:space, :person, :folded, :name, :how, :state, :since)
ON CONFLICT (space, person, folded) DO UPDATE
SET name = excluded.name, how = excluded.how, state = excluded.state, since = excluded.since
WHERE excluded.how = 'user' OR person_name.how <> 'user'
