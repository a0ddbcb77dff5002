-- What ingest decides and finds: judged experiences, held events, sessions, relationships, work.
ALTER TABLE experience ADD COLUMN status TEXT NOT NULL DEFAULT 'evaluated';
ALTER TABLE experience ADD COLUMN outcome TEXT NOT NULL DEFAULT 'captured';
ALTER TABLE experience ADD COLUMN significance REAL;
ALTER TABLE experience ADD COLUMN emotional_primary TEXT;
ALTER TABLE experience ADD COLUMN emotional_intensity REAL;
ALTER TABLE experience ADD COLUMN emotional_valence REAL;
ALTER TABLE experience ADD COLUMN engagement_quality TEXT;

CREATE INDEX experience_by_text ON experience (space, text_hash);
CREATE INDEX experience_by_person ON experience (space, person, session, kind, at)
WHERE person IS NOT NULL;
CREATE INDEX experience_by_engagement ON experience (space, engagement_quality)
WHERE engagement_quality IS NOT NULL;
CREATE INDEX experience_by_intensity ON experience (space, emotional_intensity)
WHERE emotional_intensity IS NOT NULL;

CREATE TABLE provisional (
    seq INTEGER PRIMARY KEY,
    space INTEGER NOT NULL,
    expires_at TEXT,
    body TEXT NOT NULL,
    terms TEXT
) STRICT;

CREATE INDEX provisional_by_expiry ON provisional (space, expires_at)
WHERE expires_at IS NOT NULL;

CREATE TABLE session_state (
    space INTEGER NOT NULL,
    session TEXT NOT NULL,
    last_at TEXT,
    heard_at TEXT,
    over INTEGER NOT NULL DEFAULT 0,
    told INTEGER NOT NULL DEFAULT 0,
    seq INTEGER,
    history TEXT,
    register TEXT,
    PRIMARY KEY (space, session)
) STRICT, WITHOUT ROWID;

CREATE INDEX session_to_be_told ON session_state (space, last_at) WHERE told = 0;

CREATE TABLE relationship (
    space INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    display_name TEXT NOT NULL,
    relationship_type TEXT NOT NULL DEFAULT 'user',
    capture_threshold_override REAL,
    PRIMARY KEY (space, user_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE lease (
    space INTEGER NOT NULL,
    work TEXT NOT NULL,
    owner TEXT NOT NULL,
    until TEXT NOT NULL,
    PRIMARY KEY (space, work)
) STRICT, WITHOUT ROWID;

CREATE TABLE task (
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    stage TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at TEXT NOT NULL,
    dead INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL,
    PRIMARY KEY (space, seq, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE entity (
    space INTEGER NOT NULL,
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    mentions INTEGER NOT NULL,
    merged_into TEXT,
    PRIMARY KEY (space, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact_entry (
    space INTEGER NOT NULL,
    subject TEXT NOT NULL,
    seq INTEGER NOT NULL,
    fact TEXT NOT NULL,
    PRIMARY KEY (space, subject, seq)
) STRICT, WITHOUT ROWID;

CREATE INDEX fact_entry_by_fact ON fact_entry (space, fact);

CREATE TABLE token_vectors (
    space INTEGER NOT NULL,
    model TEXT NOT NULL,
    seq INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (space, model, seq)
) STRICT;
