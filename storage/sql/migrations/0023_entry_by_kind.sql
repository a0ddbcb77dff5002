-- Entries of a kind are read a page at a time, in order.
CREATE INDEX IF NOT EXISTS entry_by_kind ON entry (space, kind, seq);
