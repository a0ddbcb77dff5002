-- The next sequence, the space of a name with its chain's end, and whether it forgot anything.
SELECT (SELECT coalesce(max(head_seq), 0) + 1 FROM space), s.number, s.head_hash,
    EXISTS (SELECT 1 FROM forgetting f WHERE f.space = s.number)
FROM (SELECT ? AS name) asked LEFT JOIN space s ON s.name = asked.name
