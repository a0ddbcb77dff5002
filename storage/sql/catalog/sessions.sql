-- Sessions of a space by their first experience: how many, from when to when.
SELECT x.session, count(*), min(x.at), max(x.at), min(x.seq), max(x.seq)
FROM experience x WHERE x.space = ? AND x.session IS NOT NULL
GROUP BY x.session ORDER BY min(x.seq)
