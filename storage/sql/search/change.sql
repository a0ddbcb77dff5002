-- Notes that a memory has other terms now, or none, for who holds those it had.
INSERT INTO text_change (space, seq) VALUES (?, ?)
