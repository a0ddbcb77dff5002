-- Which of some texts are embedded already.
SELECT DISTINCT text_hash FROM embedding
WHERE space = ? AND model = ? AND text_hash IN (SELECT value FROM json_each(?))
