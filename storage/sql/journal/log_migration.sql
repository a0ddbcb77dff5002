-- Remembers one migration, in the transaction that made it.
INSERT INTO migration (name, applied_at) VALUES (?, ?)
