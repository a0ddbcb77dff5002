-- Everybody the agent has met, most interactions first: those that are one, once.
WITH known AS MATERIALIZED (
    SELECT r.user_id AS person, coalesce(i.canonical, r.user_id) AS who,
           coalesce(i.shown, r.display_name) AS shown
    FROM relationship r
    LEFT JOIN person_identity i ON i.space = r.space AND i.person = r.user_id
    WHERE r.space = :space)
SELECT k.who, max(k.shown), r.relationship_type, min(e.at), max(e.at), count(*),
       r.capture_threshold_override
FROM known k
JOIN experience e INDEXED BY experience_by_person
    ON e.space = :space AND e.person = k.person
    AND e.kind NOT IN ('assistant_message', 'tool_result')
JOIN relationship r ON r.space = :space AND r.user_id = k.who
GROUP BY k.who ORDER BY count(*) DESC, k.who
