-- name: latest
-- The artifacts that memories refer to, each once by content or address, the latest first.
SELECT a.value, count(DISTINCT e.key), max(e.at)
FROM entry e
{include fragments/read_payload}
JOIN json_each(unpack(p.body), '$.artifacts') a
WHERE e.space = ? AND e.kind = 'ExperienceEnriched'
GROUP BY coalesce(a.value ->> '$.sha256', a.value ->> '$.uri')
ORDER BY 3 DESC, 1 LIMIT ?
