-- Drops the full text that an older version had of a space.
DROP TABLE IF EXISTS {search}
