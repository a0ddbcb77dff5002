-- Counts one more mention of an entity; the first name it was mentioned by stays.
INSERT INTO entity (space, id, kind, name, mentions) VALUES (:space, :id, :type, :name, 1)
ON CONFLICT (space, id) DO UPDATE SET mentions = mentions + 1
