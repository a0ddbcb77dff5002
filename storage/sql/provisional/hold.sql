-- Holds the full event of a skeleton beside the journal; without an expiry, for good.
INSERT OR REPLACE INTO provisional (seq, space, expires_at, body) VALUES (?, ?, ?, ?)
