-- Whether any of some experiences or facts, by id, was erased.
SELECT 1 FROM entry e
WHERE e.space = :space AND e.seq IN (
    SELECT seq FROM entry WHERE id IN (SELECT value FROM json_each(:ids))
    UNION SELECT seq FROM entry INDEXED BY sqlite_autoindex_entry_3
    WHERE space = :space AND kind = 'FactAsserted' AND key IN (SELECT value FROM json_each(:ids)))
  AND NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq)
LIMIT 1
