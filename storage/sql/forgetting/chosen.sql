-- The memories that are asked for, whoever may see them, and earlier versions too.
SELECT x.seq
FROM experience x
JOIN payload p ON p.seq = x.seq
LEFT JOIN provisional h ON h.seq = x.seq
WHERE x.space = :space
  AND (:people IS NULL OR x.person IN (SELECT value FROM json_each(:people)))
  AND (:session IS NULL OR x.session = :session)
  AND (:before IS NULL OR x.at < :before)
  AND (:kind IS NULL OR x.kind = :kind)
  AND (:seqs IS NULL OR x.seq IN (SELECT value FROM json_each(:seqs)))
  AND {include fragments/metadata_conditions}
ORDER BY x.seq
