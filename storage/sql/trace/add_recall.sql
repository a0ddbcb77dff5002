-- One answered query with its reasons, kept under its id.
INSERT INTO recall (id, space, at, body, inputs) VALUES (?, ?, ?, ?, ?)
