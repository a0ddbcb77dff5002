// Makes room for the index to be created again.
DROP INDEX {index} IF EXISTS
