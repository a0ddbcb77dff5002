-- Drops a space's full text before a rebuild.
DROP TABLE IF EXISTS {search}
