-- Erases the vectors of a text that no experience says any more.
DELETE FROM embedding WHERE space = :space AND text_hash = :text_hash
AND NOT EXISTS (SELECT 1 FROM experience WHERE space = :space AND text_hash = :text_hash)
