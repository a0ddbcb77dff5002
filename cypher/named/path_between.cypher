// The shortest path from $person to $other through what they said and what it was about.
MATCH (p:Person), (o:Person)
WHERE p.space = $space AND o.space = $space AND p.id <> o.id
  AND toLower(p.name) = toLower($person) AND toLower(o.name) = toLower($other)
MATCH path = shortestPath((p)-[:SPOKEN_BY|INVOLVES|ABOUT*..8]-(o))
UNWIND range(0, length(path)) AS step
WITH step, nodes(path)[step] AS x
WITH step, x, CASE WHEN x:Person THEN 'Person' WHEN x:Concept THEN 'Concept'
  ELSE 'Experience' END AS label
RETURN step, label, coalesce(x.name, x.word, x.text) AS what
ORDER BY step
