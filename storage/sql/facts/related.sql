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
