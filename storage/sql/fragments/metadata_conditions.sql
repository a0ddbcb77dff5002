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
