// One other space in the same store, if there is any.
MATCH (x:{label})
WHERE x.id <> $space
RETURN x.id AS space
LIMIT 1
