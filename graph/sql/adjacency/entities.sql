-- What memories are about, most shared first.
SELECT n.name, n.label, count(DISTINCT e.source)
FROM edge e JOIN node n ON n.number = e.target
WHERE e.space = ? AND e.type IN ('ABOUT', 'SPOKEN_BY', 'INVOLVES', 'MENTIONS')
GROUP BY n.number ORDER BY 3 DESC, 1 LIMIT ?
