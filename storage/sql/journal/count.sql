-- How many entries of each kind a space holds.
SELECT kind, count(*) FROM entry WHERE space = ? GROUP BY kind
