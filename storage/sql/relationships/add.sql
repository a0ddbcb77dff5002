-- Takes up somebody who was never met; of others nothing is written, which keeps capture short.
INSERT INTO relationship (space, user_id, display_name) VALUES (?, ?, ?)
ON CONFLICT (space, user_id) DO NOTHING
