-- Finds what some entries said of facts: a forgetting looks at no others.
CREATE INDEX IF NOT EXISTS fact_entry_by_entry ON fact_entry (space, seq);
