-- Before a rebuild: what was given.
DELETE FROM reconstitution_feedback WHERE space = ?
