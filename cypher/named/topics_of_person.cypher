// What $person talks about most.
MATCH (p:Person)<-[:SPOKEN_BY]-(e:Experience)-[:ABOUT]->(c:Concept)
WHERE p.space = $space AND toLower(p.name) = toLower($person)
RETURN c.word AS concept, count(e) AS said, max(e.at) AS last
ORDER BY said DESC, concept
LIMIT 50
