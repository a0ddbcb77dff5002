-- Keys of callers of the service, of each only a hash.
CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    hash BLOB NOT NULL,
    label TEXT NOT NULL,
    access TEXT NOT NULL,
    spaces TEXT NOT NULL,
    created TEXT NOT NULL,
    revoked TEXT
) STRICT, WITHOUT ROWID;
