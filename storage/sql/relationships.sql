-- name: add
-- Takes up somebody who was never met; of others nothing is written, which keeps capture short.
INSERT INTO relationship (space, user_id, display_name) VALUES (?, ?, ?)
ON CONFLICT (space, user_id) DO NOTHING

-- name: all
-- Everybody the agent has met, most interactions first: those that are one, once.
WITH known AS MATERIALIZED (
    SELECT r.user_id AS person, coalesce(i.canonical, r.user_id) AS who,
           coalesce(i.shown, r.display_name) AS shown
    FROM relationship r
    LEFT JOIN person_identity i ON i.space = r.space AND i.person = r.user_id
    WHERE r.space = :space)
SELECT k.who, max(k.shown), r.relationship_type, min(e.at), max(e.at), count(*),
       r.capture_threshold_override
FROM known k
JOIN experience e INDEXED BY experience_by_person
    ON e.space = :space AND e.person = k.person
    AND e.kind NOT IN ('assistant_message', 'tool_result')
JOIN relationship r ON r.space = :space AND r.user_id = k.who
GROUP BY k.who ORDER BY count(*) DESC, k.who

-- name: change
-- What a person is to the agent from now on, and the person's own capture threshold.
UPDATE relationship SET relationship_type = :type, capture_threshold_override = :threshold
WHERE space = :space AND user_id = :person

-- name: clear
-- Drops a space's relationships before a rebuild.
DELETE FROM relationship WHERE space = ?

-- name: counted_user
-- How often and in how many sessions a user spoke under all their names, as far as is asked.
WITH RECURSIVE
root (id) AS (
    SELECT coalesce((SELECT into_person FROM person_merge
                     WHERE space = :space AND person = :person), :person)),
names (person) AS (
    SELECT id FROM root UNION SELECT :person
    UNION SELECT m.person FROM root JOIN person_merge m
        ON m.space = :space AND m.into_person = root.id),
spoken (session) AS (
    SELECT (SELECT min(session) FROM experience INDEXED BY experience_by_person
            WHERE space = :space AND person IN (SELECT person FROM names))
    UNION ALL
    SELECT (SELECT min(session) FROM experience INDEXED BY experience_by_person
            WHERE space = :space AND person IN (SELECT person FROM names)
              AND session > spoken.session)
    FROM spoken WHERE spoken.session IS NOT NULL LIMIT :sessions)
SELECT r.user_id, r.capture_threshold_override,
    (SELECT count(*) FROM (
        SELECT 1 FROM experience INDEXED BY experience_by_person
        WHERE space = :space AND person IN (SELECT person FROM names)
          AND kind NOT IN ('assistant_message', 'tool_result') LIMIT :interactions)),
    (SELECT count(session) FROM spoken)
FROM root JOIN relationship r ON r.space = :space AND r.user_id = root.id
WHERE r.relationship_type = 'user'

-- name: find
-- What one person is to the agent, since when and how often, under all their names.
SELECT r.user_id, coalesce(own.shown, r.display_name), r.relationship_type, min(e.at), max(e.at),
       count(*), r.capture_threshold_override
FROM relationship r
LEFT JOIN person_identity own ON own.space = r.space AND own.person = r.user_id
JOIN experience e INDEXED BY experience_by_person
    ON e.space = r.space
    AND e.person IN (
        SELECT r.user_id UNION SELECT i.person FROM person_identity i
        WHERE i.space = r.space AND i.canonical = r.user_id)
    AND e.kind NOT IN ('assistant_message', 'tool_result')
WHERE r.space = :space AND r.user_id = coalesce(
    (SELECT i.canonical FROM person_identity i WHERE i.space = :space AND i.person = :person),
    :person)
GROUP BY r.user_id

-- name: type_and_threshold
-- What one person is to the agent, and the person's own capture threshold.
SELECT r.relationship_type, r.capture_threshold_override FROM relationship r
WHERE r.space = :space AND r.user_id = coalesce(
    (SELECT i.canonical FROM person_identity i WHERE i.space = :space AND i.person = :person),
    :person)
