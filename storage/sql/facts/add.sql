-- Files one entry about a fact under the fact's subject.
INSERT OR IGNORE INTO fact_entry (space, seq, fact, subject, by_fact) VALUES (?, ?, ?, ?, ?)
