-- Drops who is who, before it is worked out again.
DELETE FROM person_identity WHERE space = ?
