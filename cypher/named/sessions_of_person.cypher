// The sessions in which $person spoke, newest first, and how much.
MATCH (p:Person)<-[:SPOKEN_BY]-(e:Experience)-[:IN_SESSION]->(s:Session)
WHERE p.space = $space AND toLower(p.name) = toLower($person)
RETURN s.key AS session, count(e) AS said, min(e.at) AS first, max(e.at) AS last
ORDER BY last DESC, session
LIMIT 100
