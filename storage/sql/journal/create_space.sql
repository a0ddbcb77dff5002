-- A write creates its space.
INSERT INTO space (name, created_at) VALUES (?, ?)
