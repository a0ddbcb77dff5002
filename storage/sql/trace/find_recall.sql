-- A kept recall, and its memories' ids in order: kept as sequences, or by earlier versions as ids.
SELECT r.body, (
    SELECT json_group_array(id) FROM (
        SELECT coalesce(x.id, json_extract(h.value, '$.id'), '@' || h.value) AS id
        FROM json_each(r.body, '$.hits') h
        LEFT JOIN experience x ON h.type = 'integer' AND x.space = r.space AND x.seq = h.value
        ORDER BY h.key)), r.inputs
FROM recall r WHERE r.space = ? AND r.id = ?
