-- What the places of some memories are found by: ids, hashes, and the text that is indexed.
SELECT x.seq, x.id, x.event_id, x.kind, x.person, x.session, x.text_hash,
    coalesce(h.body, p.body)
FROM experience x
LEFT JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = :space AND x.seq IN (SELECT value FROM json_each(:seqs))
ORDER BY x.seq
