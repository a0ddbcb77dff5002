-- Counts one more event from a person, in the transaction that captured it.
INSERT INTO relationship (
    space, user_id, display_name, relationship_type, first_seen, last_seen, interaction_count
) VALUES (:space, :person, :name, 'user', :at, :at, 1)
ON CONFLICT (space, user_id) DO UPDATE SET
    first_seen = min(first_seen, excluded.first_seen),
    last_seen = max(last_seen, excluded.last_seen),
    interaction_count = interaction_count + 1
