-- How much was redacted, by kind, as the trace tells.
SELECT r.key, sum(r.value) FROM trace t, json_each(unpack(t.detail), '$.redacted') r
WHERE t.space = ? AND t.kind = 'event' GROUP BY r.key ORDER BY r.key
