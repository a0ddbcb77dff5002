-- Indexes one experience, in the transaction that captured it.
INSERT INTO {search} (rowid, terms) VALUES (?, ?)
