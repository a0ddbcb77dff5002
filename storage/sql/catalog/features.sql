-- What recall keeps in memory of each experience: small columns, in journal order.
SELECT seq, CAST(strftime('%s', at) AS INTEGER), person, session, words, traits FROM experience
WHERE space = ? AND seq > ? AND seq <= ? ORDER BY seq
