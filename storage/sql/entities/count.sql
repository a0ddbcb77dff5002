-- How many entities a space has, and how many of them stand for others.
SELECT count(*), count(merged_into) FROM entity WHERE space = ?
