-- Takes removed rows out of the table's pages and out of its indexes.
VACUUM meridia_vectors
