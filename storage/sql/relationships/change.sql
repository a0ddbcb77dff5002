-- What a person is to the agent from now on, and the person's own capture threshold.
UPDATE relationship SET relationship_type = :type, capture_threshold_override = :threshold
WHERE space = :space AND user_id = :person
