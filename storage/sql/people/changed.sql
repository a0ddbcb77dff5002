-- Notes that somebody who has spoken is another from now on: what was made of it is outdated.
INSERT INTO person_change (space, since, first) VALUES (:space, :since, :first)
ON CONFLICT (space, since) DO UPDATE SET first = min(first, excluded.first)
