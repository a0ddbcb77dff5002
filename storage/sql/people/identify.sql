-- Says who a person is, and how they are shown.
INSERT INTO person_identity (space, person, canonical, shown, folded) VALUES (?, ?, ?, ?, ?)
