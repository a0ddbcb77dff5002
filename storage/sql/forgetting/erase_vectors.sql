-- Erases vectors of texts that no memory says any more, of every model.
DELETE FROM embedding
WHERE space = :space AND (:everything OR text_hash IN (SELECT value FROM json_each(:hashes)))
  AND text_hash NOT IN (SELECT text_hash FROM experience WHERE space = :space)
