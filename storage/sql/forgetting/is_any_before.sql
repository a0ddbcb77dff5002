-- Whether any memory, of a kind or any, is of before a time.
SELECT 1 FROM experience x
WHERE x.space = :space AND (:kind IS NULL OR x.kind = :kind) AND x.at < :before LIMIT 1
