-- What one person is to the agent, since when and how often.
SELECT r.user_id, r.display_name, r.relationship_type, min(e.at), max(e.at), count(*),
       r.capture_threshold_override
FROM relationship r JOIN experience e INDEXED BY experience_by_person
    ON e.space = r.space AND e.person = r.user_id
    AND e.kind NOT IN ('assistant_message', 'tool_result')
WHERE r.space = ? AND r.user_id = ? GROUP BY r.user_id
