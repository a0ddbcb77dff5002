-- What one person is to the agent, and the person's own capture threshold.
SELECT r.relationship_type, r.capture_threshold_override FROM relationship r
WHERE r.space = :space AND r.user_id = coalesce(
    (SELECT i.canonical FROM person_identity i WHERE i.space = :space AND i.person = :person),
    :person)
