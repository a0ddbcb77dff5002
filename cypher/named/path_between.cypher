// The shortest path from $person to $other through what they said and what it was about.
MATCH (p:Person), (o:Person)
WHERE p.space = $space AND o.space = $space AND p.id <> o.id
  AND toLower(p.name) = toLower($person) AND toLower(o.name) = toLower($other)
MATCH path = shortestPath((p)-[:SPOKEN_BY|INVOLVES|ABOUT*..8]-(o))
UNWIND range(0, length(path)) AS step
WITH step, nodes(path)[step] AS x
RETURN step, labels(x)[0] AS label,
       CASE labels(x)[0]
         WHEN 'Person' THEN x.name
         WHEN 'Concept' THEN x.word
         ELSE x.text
       END AS what
ORDER BY step
