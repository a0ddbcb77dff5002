-- name: judged
-- What is known by now of some experiences, by their ids, for sinks.
SELECT x.seq, x.id, x.text_hash, x.significance, x.engagement_quality, x.emotional_valence
FROM json_each(?2) wanted
CROSS JOIN entry e ON e.id = wanted.value AND e.space = ?1
CROSS JOIN experience x ON x.space = e.space AND x.seq = e.seq
ORDER BY x.seq
