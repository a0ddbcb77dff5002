-- Finds a space by its name.
SELECT number FROM space WHERE name = ?
