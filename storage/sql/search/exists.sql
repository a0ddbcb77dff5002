-- Whether a space has its full-text table yet.
SELECT 1 FROM sqlite_master WHERE name = ?
