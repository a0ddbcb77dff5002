-- Every space that holds anything, by name.
SELECT name FROM space WHERE head_seq > 0 ORDER BY name
