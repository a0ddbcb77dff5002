// The sessions with the most experiences, and how many people spoke in each.
MATCH (s:Session)<-[:IN_SESSION]-(e:Experience)
WHERE s.space = $space
OPTIONAL MATCH (e)-[:SPOKEN_BY]->(p:Person)
RETURN s.key AS session, count(DISTINCT e.id) AS experiences, count(DISTINCT p.id) AS people,
       min(e.at) AS first, max(e.at) AS last
ORDER BY experiences DESC, session
LIMIT 20
