-- The newest kept recalls of a space before one of them (all where none is named), newest first.
SELECT r.id, r.at, json_extract(r.body, '$.question'), json_array_length(r.body, '$.hits')
FROM recall r
WHERE r.space = :space AND (:before IS NULL OR r.id < :before)
ORDER BY r.id DESC LIMIT :limit
