-- Removes all rows of one space of one journal.
DELETE FROM meridia_vectors WHERE partition = %(partition)s
