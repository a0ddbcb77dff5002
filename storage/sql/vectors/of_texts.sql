-- Vectors of some texts, whoever says or asks them; a long text has several parts.
SELECT text_hash, vector FROM embedding
WHERE space = ? AND model = ? AND text_hash IN (SELECT value FROM json_each(?))
ORDER BY text_hash, part
