-- Merges of entities that no memory mentions any more but these.
WITH lost (id) AS (
    SELECT value FROM json_each(:entities)
    EXCEPT
    SELECT mention.value ->> '$.id'
    FROM entry e INDEXED BY sqlite_autoindex_entry_3
    JOIN payload p ON p.seq = e.seq, json_each(p.body, '$.entities') mention
    WHERE e.space = :space AND e.kind = 'EntitiesMentioned'
      AND e.seq NOT IN (SELECT value FROM json_each(:seqs)))
SELECT e.seq, e.kind, e.id, NULL FROM entry e INDEXED BY sqlite_autoindex_entry_3
JOIN payload p ON p.seq = e.seq
WHERE e.space = :space AND e.kind IN ('EntitiesMerged', 'EntitiesUnmerged')
  AND (p.body ->> '$.entity' IN lost OR p.body ->> '$.into' IN lost)
