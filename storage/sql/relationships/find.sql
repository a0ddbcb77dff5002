-- What one person is to the agent, since when and how often, under all their names.
SELECT r.user_id, coalesce(own.shown, r.display_name), r.relationship_type, min(e.at), max(e.at),
       count(*), r.capture_threshold_override
FROM relationship r
LEFT JOIN person_identity own ON own.space = r.space AND own.person = r.user_id
JOIN experience e INDEXED BY experience_by_person
    ON e.space = r.space
    AND e.person IN (
        SELECT r.user_id UNION SELECT i.person FROM person_identity i
        WHERE i.space = r.space AND i.canonical = r.user_id)
    AND e.kind NOT IN ('assistant_message', 'tool_result')
WHERE r.space = :space AND r.user_id = coalesce(
    (SELECT i.canonical FROM person_identity i WHERE i.space = :space AND i.person = :person),
    :person)
GROUP BY r.user_id
