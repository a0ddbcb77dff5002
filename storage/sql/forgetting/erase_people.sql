-- Takes people who said nothing that is left off the list.
DELETE FROM relationship
WHERE space = :space AND user_id IN (SELECT value FROM json_each(:speechless))
