-- Every vector of a space with its row, and whether it is as it was recorded.
SELECT rowid, vector, checksum IS checksum(vector) FROM embedding WHERE space = ?
