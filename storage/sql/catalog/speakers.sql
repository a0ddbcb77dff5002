-- Who spoke, under whatever name: how many experiences, in how many sessions, first and last time.
SELECT coalesce(i.canonical, x.person), count(*), count(DISTINCT x.session), min(x.at), max(x.at),
       max(x.seq)
FROM experience x LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = ? AND x.person IS NOT NULL
GROUP BY 1 ORDER BY count(*) DESC, 1
