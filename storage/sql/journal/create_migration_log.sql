-- Names each migration and when it ran, so that a file tells its own history.
CREATE TABLE migration (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT
