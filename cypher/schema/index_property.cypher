// Finds nodes by what people call them.
CREATE INDEX meridia_{label}_{property} IF NOT EXISTS
FOR (x:{label}) ON (x.{property})
