-- What recall keeps in memory of each experience: small columns, in journal order.
SELECT x.seq, CAST(strftime('%s', x.at) AS INTEGER), coalesce(i.canonical, x.person), x.session,
       x.words, x.traits
FROM experience x LEFT JOIN person_identity i ON i.space = x.space AND i.person = x.person
WHERE x.space = ? AND x.seq > ? AND x.seq <= ? ORDER BY x.seq
