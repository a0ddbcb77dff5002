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
