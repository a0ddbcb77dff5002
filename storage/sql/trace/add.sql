-- One decision in the trace stream.
INSERT INTO trace (space, at, kind, decision, subject, detail) VALUES (?, ?, ?, ?, ?, ?)
