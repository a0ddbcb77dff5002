// What both $person and $other talk about, and how often each.
MATCH (p:Person)<-[:SPOKEN_BY]-(e:Experience)-[:ABOUT]->(c:Concept)
WHERE p.space = $space AND toLower(p.name) = toLower($person)
WITH c, count(e) AS by_person
MATCH (c)<-[:ABOUT]-(f:Experience)-[:SPOKEN_BY]->(o:Person)
WHERE toLower(o.name) = toLower($other)
RETURN c.word AS concept, by_person, count(f) AS by_other
ORDER BY by_person + by_other DESC, concept
LIMIT 50
