-- What people had become to the agent before their first words that stay, and whether it holds.
WITH change (seq, id, body, at, person) AS MATERIALIZED (
    SELECT e.seq, e.id, p.body, e.at, p.body ->> '$.person'
    FROM entry e INDEXED BY sqlite_autoindex_entry_3 JOIN payload p ON p.seq = e.seq
    WHERE e.space = :space AND e.kind = 'RelationshipChanged')
SELECT c.seq, 'RelationshipChanged', c.id, c.body, c.at,
    NOT EXISTS (SELECT 1 FROM change later WHERE later.person = c.person AND later.seq > c.seq)
FROM change c JOIN json_each(:first_words) first ON first.key = c.person AND c.seq < first.value
ORDER BY c.seq
