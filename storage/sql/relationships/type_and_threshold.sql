-- What one person is to the agent, and the person's own capture threshold.
SELECT relationship_type, capture_threshold_override FROM relationship
WHERE space = ? AND user_id = ?
