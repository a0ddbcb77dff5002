// Who talks about the concept $word, how often and when last.
MATCH (c:Concept)<-[:ABOUT]-(e:Experience)-[:SPOKEN_BY]->(p:Person)
WHERE c.space = $space AND (c.word = toLower($word) OR c.lemma = toLower($word))
RETURN p.name AS person, count(e) AS said, max(e.at) AS last
ORDER BY said DESC, person
LIMIT 50
