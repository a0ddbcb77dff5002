// Who said how much, and from when to when.
MATCH (p:Person)<-[:SPOKEN_BY]-(e:Experience)
WHERE p.space = $space
RETURN p.name AS person, count(e) AS said, min(e.at) AS first, max(e.at) AS last
ORDER BY said DESC, person
LIMIT 100
