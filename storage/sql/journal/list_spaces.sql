-- Every space by name.
SELECT name FROM space ORDER BY name
