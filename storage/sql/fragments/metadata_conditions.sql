-- What metadata must say: of payload `p` and held event `h`, if any.
(:conditions IS NULL OR NOT EXISTS (
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
