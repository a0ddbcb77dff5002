-- Finds a space by its name: its number and where its chain ends.
SELECT number, head_seq, head_hash FROM space WHERE name = ?
