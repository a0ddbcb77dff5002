-- What filters leave: of `experience x`, its payload `p`, and its held event `h`, if any.
(:restricted OR x.traits & 64 = 0)
  AND (:person IS NULL OR x.person = :person)
  AND (:session IS NULL OR x.session = :session)
  AND (:kind IS NULL OR x.kind = :kind)
  AND (:engagement IS NULL OR x.engagement_quality = :engagement)
  AND (:emotion IS NULL OR :emotion IN (SELECT value FROM json_each(x.emotional_primary)))
  AND (:since IS NULL OR x.at >= :since)
  AND (:until IS NULL OR x.at < :until)
  AND (:seq_max IS NULL OR x.seq <= :seq_max)
  AND (:conditions IS NULL OR NOT EXISTS (
        SELECT 1 FROM json_each(:conditions) condition
        WHERE (condition.value ->> 'comparison' = 'ne') = EXISTS (
            SELECT 1 FROM json_each(coalesce(h.body, p.body), '$.event.metadata') field
            JOIN json_each(condition.value, '$.values') operand
            LEFT JOIN json_each(CASE field.type WHEN 'array' THEN field.value ELSE '[]' END) element
            WHERE field.key = condition.value ->> 'key'
              AND (coalesce(element.type, field.type) = operand.type OR (
                    coalesce(element.type, field.type) IN ('integer', 'real')
                    AND operand.type IN ('integer', 'real')))
              AND CASE condition.value ->> 'comparison'
                    WHEN 'lt' THEN coalesce(element.value, field.value) < operand.value
                    WHEN 'lte' THEN coalesce(element.value, field.value) <= operand.value
                    WHEN 'gt' THEN coalesce(element.value, field.value) > operand.value
                    WHEN 'gte' THEN coalesce(element.value, field.value) >= operand.value
                    ELSE operand.type = 'null'
                      OR coalesce(element.value, field.value) = operand.value END)))
  AND (x.superseded_by IS NULL OR x.superseded_by > coalesce(:seq_max, x.superseded_by))
