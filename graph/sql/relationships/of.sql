-- What one person is to the agent.
SELECT user_id, display_name, relationship_type, first_seen, last_seen, interaction_count,
       capture_threshold_override
FROM relationship WHERE space = ? AND user_id = ?
