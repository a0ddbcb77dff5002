-- The entries of one kind about what some people said, in order.
SELECT e.seq, e.kind, e.id, e.key, e.stream, {include fragments/previous},
    e.at, e.recorded_at, p.body, e.hash, NULL
FROM json_each(?3) wanted
CROSS JOIN experience x INDEXED BY experience_by_speaker
    ON x.space = ?1 AND x.person = wanted.value
CROSS JOIN about a ON a.space = x.space AND a.memory = x.seq
CROSS JOIN entry e ON e.space = a.space AND e.seq = a.seq
{include fragments/read_payload}
WHERE e.kind = ?2
ORDER BY e.seq
