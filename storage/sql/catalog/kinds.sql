-- How many experiences of each kind a space has.
SELECT kind, count(*) FROM experience WHERE space = ? GROUP BY kind ORDER BY kind
