-- Keeps the key that receipts are made with; the first one stays.
INSERT OR IGNORE INTO meta (name, value) VALUES ('receipt key', :key)
