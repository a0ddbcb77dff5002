-- The list of people, to be compared.
SELECT * FROM relationship WHERE space = ? ORDER BY user_id
