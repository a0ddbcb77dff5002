// Makes room for a fresh full-text index: kglite does not keep one current beyond 1,000 changes.
DROP INDEX meridia_text IF EXISTS
