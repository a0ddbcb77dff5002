-- The first experience with the same words from the same speaker or tool.
SELECT x.id FROM experience x INDEXED BY experience_by_text
WHERE x.space = :space AND x.text_hash = :text_hash AND x.kind = :kind AND x.person IS :person
ORDER BY x.seq LIMIT 1
