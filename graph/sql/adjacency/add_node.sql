-- Gives a graph node its number, once, and remembers the entry that made it and its readable name.
INSERT INTO node (space, label, id, seq, name) VALUES (?, ?, ?, ?, ?) ON CONFLICT (space, id) DO NOTHING
