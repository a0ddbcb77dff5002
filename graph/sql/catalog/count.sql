-- How many experiences a space lists.
SELECT count(*) FROM experience WHERE space = ?
