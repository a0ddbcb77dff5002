// Tells which index of a constraint has none: the server died while it created the constraint.
SHOW INDEXES YIELD name, owningConstraint
WHERE owningConstraint IS NULL AND (name = 'meridia_key' OR name = 'meridia_MeridiaProjection_id')
RETURN name
