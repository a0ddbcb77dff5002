-- How significant some experiences were held to be, where that was judged.
SELECT seq, significance FROM experience
WHERE space = ? AND seq IN (SELECT value FROM json_each(?)) AND significance IS NOT NULL
