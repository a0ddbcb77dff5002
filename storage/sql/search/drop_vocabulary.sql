-- Drops the view of a space's terms before a rebuild.
DROP TABLE IF EXISTS {search}_vocabulary
