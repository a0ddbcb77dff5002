// What was said and done in the session $session, in order, and by whom.
MATCH (s:Session)<-[:IN_SESSION]-(e:Experience)
WHERE s.space = $space AND s.key = $session
OPTIONAL MATCH (e)-[:SPOKEN_BY]->(p:Person)
RETURN e.at AS at, p.name AS person, e.kind AS kind, e.text AS text, e.id AS id
ORDER BY at, e.seq
LIMIT 500
