-- Who is who: names, who is whose other name; what nobody said by name is the owner's.
CREATE TABLE person_name (
    space INTEGER NOT NULL,
    person TEXT NOT NULL,
    folded TEXT NOT NULL,
    name TEXT NOT NULL,
    how TEXT NOT NULL,
    state TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (space, person, folded)
) STRICT, WITHOUT ROWID;

CREATE TABLE person_merge (
    space INTEGER NOT NULL,
    person TEXT NOT NULL,
    into_person TEXT NOT NULL,
    PRIMARY KEY (space, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE person_identity (
    space INTEGER NOT NULL,
    person TEXT NOT NULL,
    canonical TEXT NOT NULL,
    shown TEXT NOT NULL,
    folded TEXT NOT NULL,
    PRIMARY KEY (space, person)
) STRICT, WITHOUT ROWID;

CREATE TABLE person_change (
    space INTEGER NOT NULL,
    since INTEGER NOT NULL,
    first INTEGER NOT NULL,
    PRIMARY KEY (space, since)
) STRICT, WITHOUT ROWID;

UPDATE experience
SET person = owner_id((SELECT s.name FROM space s WHERE s.number = experience.space))
WHERE person IS NULL AND kind = 'user_message';

INSERT OR IGNORE INTO relationship (space, user_id, display_name)
SELECT DISTINCT x.space, x.person, 'you' FROM experience x JOIN space s ON s.number = x.space
WHERE x.kind = 'user_message' AND x.person = owner_id(s.name);
