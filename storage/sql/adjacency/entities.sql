-- What memories are about, most shared first, and what it was merged into.
SELECT coalesce(i.shown, n.name), n.label, count(DISTINCT e.source), c.name
FROM edge_type t CROSS JOIN edge e ON e.space = t.space AND e.type = t.number
JOIN node n ON n.number = e.target
LEFT JOIN person_identity i ON i.space = n.space AND i.person = n.id
LEFT JOIN entity m ON m.space = n.space AND m.id = n.id
LEFT JOIN entity c ON c.space = m.space AND c.id = m.merged_into
WHERE t.space = ? AND t.name IN ('ABOUT', 'SPOKEN_BY', 'INVOLVES', 'MENTIONS')
  AND (t.name <> 'ABOUT' OR n.label = 'Concept')
GROUP BY n.number ORDER BY 3 DESC, 1 LIMIT ?
