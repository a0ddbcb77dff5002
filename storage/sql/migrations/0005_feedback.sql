-- Did what was shown help? The source's ten columns and five of our own; what each memory gets.
CREATE TABLE reconstitution_feedback (
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    reconstitution_id TEXT,
    ts TEXT NOT NULL,
    mode TEXT,
    records_injected INTEGER NOT NULL,
    records_referenced INTEGER NOT NULL DEFAULT 0,
    anchors_hit TEXT NOT NULL DEFAULT '[]',
    user_rating INTEGER,
    auto_score REAL,
    notes TEXT,
    verdict TEXT,
    taken_back INTEGER,
    taken_back_at TEXT,
    PRIMARY KEY (space, seq)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX reconstitution_feedback_by_id ON reconstitution_feedback (space, id);

CREATE INDEX feedback_taken_back ON reconstitution_feedback (space, taken_back)
WHERE taken_back IS NOT NULL;

CREATE TABLE feedback_effect (
    space INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    feedback INTEGER NOT NULL,
    how TEXT NOT NULL,
    hundredths INTEGER NOT NULL,
    PRIMARY KEY (space, memory, feedback)
) STRICT, WITHOUT ROWID;

CREATE INDEX recall_by_time ON recall (space, at);
