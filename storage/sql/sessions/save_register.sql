-- The register of one session after its latest enriched experience.
INSERT INTO session_state (space, session, register) VALUES (?, ?, ?)
ON CONFLICT (space, session) DO UPDATE SET register = excluded.register
