// One node for one key, also when two processes write it; and keys are found at once.
CREATE CONSTRAINT meridia_key IF NOT EXISTS
FOR (x:Meridia) REQUIRE x.node_key IS UNIQUE
