-- One pack that was given: how it was asked for and what it cited.
INSERT INTO pack (id, space, at, mode, body) VALUES (?, ?, ?, ?, ?)
