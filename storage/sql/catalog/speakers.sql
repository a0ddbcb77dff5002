-- Who spoke: how many experiences, in how many sessions, first and last time.
SELECT x.person, count(*), count(DISTINCT x.session), min(x.at), max(x.at), max(x.seq)
FROM experience x WHERE x.space = ? AND x.person IS NOT NULL
GROUP BY x.person ORDER BY count(*) DESC, x.person
