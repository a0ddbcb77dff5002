-- name: experience_filters
-- What filters leave: of `experience x`, its payload `p`, and its held event `h`, if any.
{include fragments/listed_filters}
  AND {include fragments/metadata_conditions}

-- name: keys_of_id
-- The keys that events of a caller's id have: used anew after a forgetting, it gets another.
WITH RECURSIVE reused (key) AS (
    SELECT :id
    UNION ALL
    SELECT reused.key || char(30) FROM reused
    CROSS JOIN entry e INDEXED BY sqlite_autoindex_entry_3
    ON e.space = :space AND e.kind = 'ExperienceCaptured' AND e.key = reused.key
    WHERE NOT EXISTS (SELECT 1 FROM payload p WHERE p.seq = e.seq))

-- name: listed_filters
-- What filters leave of `experience x`, but for its metadata.
(:restricted OR x.traits & 64 = 0)
  AND (:people IS NULL OR x.person IN (SELECT value FROM json_each(:people)))
  AND (:session IS NULL OR x.session = :session)
  AND (:kind IS NULL OR x.kind = :kind)
  AND (:engagement IS NULL OR x.engagement_quality = :engagement)
  AND (:emotion IS NULL OR :emotion IN (SELECT value FROM json_each(x.emotional_primary)))
  AND (:since IS NULL OR x.at >= :since)
  AND (:until IS NULL OR x.at < :until)
  AND (:seq_max IS NULL OR x.seq <= :seq_max)
  AND (x.superseded_by IS NULL OR x.superseded_by > coalesce(:seq_max, x.superseded_by))

-- name: metadata_conditions
-- What metadata must say (core.calls.where): of payload `p` and held event `h`, if any.
-- A name with dots is a path too, into what metadata hold.
(:conditions IS NULL OR EXISTS (
    SELECT 1 FROM json_each(:conditions) alternative
    WHERE NOT EXISTS (
        SELECT 1 FROM json_each(alternative.value) condition
        WHERE (condition.value ->> 'negated') = EXISTS (
            SELECT 1 FROM json_tree(coalesce(h.body, p.body), '$.event.metadata') field
            JOIN json_each(condition.value, '$.values') operand
            LEFT JOIN json_each(CASE field.type WHEN 'array' THEN field.value ELSE '[]' END) element
            WHERE ((field.path = '$.event.metadata' AND field.key = condition.value ->> 'key')
                OR field.fullkey = '$.event.metadata.' || (condition.value ->> 'key'))
              AND (condition.value ->> 'comparison' = 'any'
                OR coalesce(element.type, field.type) = operand.type
                OR (coalesce(element.type, field.type) IN ('integer', 'real')
                    AND operand.type IN ('integer', 'real')))
              AND CASE condition.value ->> 'comparison'
                    WHEN 'any' THEN 1
                    WHEN 'lt' THEN coalesce(element.value, field.value) < operand.value
                    WHEN 'lte' THEN coalesce(element.value, field.value) <= operand.value
                    WHEN 'gt' THEN coalesce(element.value, field.value) > operand.value
                    WHEN 'gte' THEN coalesce(element.value, field.value) >= operand.value
                    WHEN 'prefix' THEN substr(coalesce(element.value, field.value), 1,
                                              length(operand.value)) = operand.value
                    WHEN 'contains' THEN coalesce(element.value, field.value) = operand.value
                      OR (field.type = 'text' AND instr(field.value, operand.value) > 0)
                    ELSE operand.type = 'null'
                      OR coalesce(element.value, field.value) = operand.value END))))

-- name: previous
-- The predecessor of an entry `e` in its stream: of what was erased, the one before that stays.
CASE WHEN e.previous IS NULL OR EXISTS (
    SELECT 1 FROM entry b JOIN payload q ON q.seq = b.seq WHERE b.id = e.previous)
THEN e.previous ELSE (
    SELECT b.id FROM entry b INDEXED BY entry_by_stream JOIN payload q ON q.seq = b.seq
    WHERE b.space = e.space AND b.stream = e.stream AND b.seq < e.seq
    ORDER BY b.seq DESC LIMIT 1) END

-- name: read_payload
-- The payload that an entry `e` is read with: its own, or that of a later reading in its place.
LEFT JOIN reading r ON r.seq = e.seq
LEFT JOIN payload p ON p.seq = CASE WHEN r.seq IS NULL THEN e.seq ELSE r.shown END
