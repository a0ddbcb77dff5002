-- Gives a graph node its number, once; its readable name comes with whoever knows it.
INSERT INTO node (space, label, id, seq, name) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (space, id) DO UPDATE SET name = excluded.name
WHERE excluded.name IS NOT NULL AND name IS NULL
