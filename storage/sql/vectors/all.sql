-- Every vector of a space with its row, to be checked.
SELECT rowid, vector FROM embedding WHERE space = ?
