-- The file's next sequence, given but once, and the space of a name with the end of its chain.
SELECT (SELECT coalesce(max(head_seq), 0) + 1 FROM space), s.number, s.head_hash
FROM (SELECT ? AS name) asked LEFT JOIN space s ON s.name = asked.name
