-- How far the experiences of a space have been judged.
SELECT status, count(*) FROM experience WHERE space = ? GROUP BY status ORDER BY status
