// One node for one id, also when two processes write it; and ids are found at once.
CREATE CONSTRAINT meridia_{label}_id IF NOT EXISTS
FOR (x:{label}) REQUIRE x.id IS UNIQUE
