-- Drops when somebody became another before a rebuild.
DELETE FROM person_change WHERE space = ?
