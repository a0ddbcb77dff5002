// Finds experiences by words. On the primary label: kglite indexes nothing under a second one.
CREATE FULLTEXT INDEX meridia_text IF NOT EXISTS
FOR (x:Experience) ON EACH [x.text]
