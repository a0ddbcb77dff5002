-- Takes people of whom no memory is left off the list.
DELETE FROM relationship
WHERE space = :space AND user_id IN (SELECT value FROM json_each(:people))
