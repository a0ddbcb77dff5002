-- Takes one experience's terms out of the index: a table without content must be told them.
INSERT INTO {search} ({search}, rowid, terms) VALUES ('delete', ?, ?)
