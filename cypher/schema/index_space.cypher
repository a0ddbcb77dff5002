// Finds the nodes of one space in order of id: for digests, and for dropping a space.
CREATE INDEX meridia_{label}_space IF NOT EXISTS
FOR (x:{label}) ON (x.space, x.id)
