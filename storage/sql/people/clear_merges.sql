-- Drops who was taken for whom before a rebuild.
DELETE FROM person_merge WHERE space = ?
