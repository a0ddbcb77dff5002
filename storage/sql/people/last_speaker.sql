-- Who spoke last in a session before a sequence, besides one person.
SELECT x.person
FROM entry e INDEXED BY entry_by_stream
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
WHERE e.space = :space AND e.stream = :session AND e.seq < :before
  AND x.kind = 'user_message' AND x.person IS NOT NULL AND x.person IS NOT :other
ORDER BY e.seq DESC LIMIT 1
