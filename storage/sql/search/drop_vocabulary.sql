-- Drops an older version's view of a space's terms.
DROP TABLE IF EXISTS {search}_vocabulary
