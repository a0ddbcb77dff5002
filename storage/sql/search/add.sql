-- Stores the terms of one memory, in the transaction that captured it.
INSERT OR REPLACE INTO full_text (space, seq, terms) VALUES (?, ?, ?)
