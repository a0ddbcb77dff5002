-- Whether a name was learned or set for anybody.
SELECT 1 FROM person_name WHERE space = ? AND folded = ? LIMIT 1
