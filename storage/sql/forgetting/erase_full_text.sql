-- Erases the terms of memories that are forgotten.
DELETE FROM full_text WHERE space = :space AND seq IN (SELECT value FROM json_each(:seqs))
