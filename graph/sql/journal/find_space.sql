-- Finds a space's number by its name.
SELECT number FROM space WHERE name = ?
