-- What memories are about, most shared first, and what it was merged into.
SELECT n.name, n.label, count(DISTINCT e.source), c.name
FROM edge e JOIN node n ON n.number = e.target
LEFT JOIN entity m ON m.space = n.space AND m.id = n.id
LEFT JOIN entity c ON c.space = m.space AND c.id = m.merged_into
WHERE e.space = ? AND e.type IN ('ABOUT', 'SPOKEN_BY', 'INVOLVES', 'MENTIONS')
  AND (e.type <> 'ABOUT' OR n.label = 'Concept')
GROUP BY n.number ORDER BY 3 DESC, 1 LIMIT ?
