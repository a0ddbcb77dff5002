-- name: about
-- All that was asserted and superseded about some subjects, in order.
SELECT e.kind, p.body, e.recorded_at FROM fact_entry f
JOIN entry e ON e.space = f.space AND e.seq = f.seq JOIN payload p ON p.seq = f.seq
WHERE f.space = ? AND f.subject IN (SELECT value FROM json_each(?)) ORDER BY e.seq

-- name: add
-- Files one entry about a fact under the fact's subject.
INSERT OR IGNORE INTO fact_entry (space, seq, fact, subject, by_fact) VALUES (?, ?, ?, ?, ?)

-- name: all
-- All that was asserted and superseded in a space, in order.
SELECT e.kind, p.body, e.recorded_at FROM fact_entry f
CROSS JOIN entry e ON e.space = f.space AND e.seq = f.seq JOIN payload p ON p.seq = f.seq
WHERE f.space = ? ORDER BY e.seq

-- name: clear
-- Drops a space's files of facts before a rebuild.
DELETE FROM fact_entry WHERE space = ?

-- name: entries_of
-- The entries about one fact.
SELECT seq FROM fact_entry INDEXED BY fact_entry_by_fact WHERE space = ? AND fact = ? ORDER BY seq

-- name: related
-- All that says how some facts stand: of them, of what ended or contradicts them, and what that is.
WITH asked (fact) AS (SELECT value FROM json_each(:facts)),
near (fact) AS (
    SELECT fact FROM asked
    UNION SELECT f.by_fact FROM asked a CROSS JOIN fact_entry f INDEXED BY fact_entry_by_fact
        ON f.space = :space AND f.fact = a.fact AND f.by_fact IS NOT NULL
    UNION SELECT f.fact FROM asked a CROSS JOIN fact_entry f INDEXED BY fact_entry_by_end
        ON f.space = :space AND f.by_fact = a.fact AND f.by_fact IS NOT NULL),
far (fact) AS (
    SELECT fact FROM near
    UNION SELECT f.by_fact FROM near n CROSS JOIN fact_entry f INDEXED BY fact_entry_by_fact
        ON f.space = :space AND f.fact = n.fact AND f.by_fact IS NOT NULL
    UNION SELECT f.fact FROM near n CROSS JOIN fact_entry f INDEXED BY fact_entry_by_end
        ON f.space = :space AND f.by_fact = n.fact AND f.by_fact IS NOT NULL)
SELECT e.kind, p.body, e.recorded_at FROM far CROSS JOIN fact_entry f
    ON f.space = :space AND f.fact = far.fact
JOIN entry e ON e.space = f.space AND e.seq = f.seq JOIN payload p ON p.seq = f.seq
ORDER BY e.seq

-- name: subject
-- The subject that a fact was filed under.
SELECT subject FROM fact_entry WHERE space = ? AND fact = ? LIMIT 1
