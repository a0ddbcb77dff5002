-- The key that receipts are made with.
SELECT value FROM meta WHERE name = 'receipt key'
