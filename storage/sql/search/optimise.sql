-- Merges the index, so that nothing is left of the terms that were taken out.
INSERT INTO {search} ({search}) VALUES ('optimize')
