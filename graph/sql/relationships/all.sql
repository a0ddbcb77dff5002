-- Everybody the agent has met, most interactions first.
SELECT user_id, display_name, relationship_type, first_seen, last_seen, interaction_count,
       capture_threshold_override
FROM relationship WHERE space = ? ORDER BY interaction_count DESC, user_id
