// Where others mention $person, newest first.
MATCH (p:Person)<-[:INVOLVES]-(e:Experience)
WHERE p.space = $space AND toLower(p.name) = toLower($person)
OPTIONAL MATCH (e)-[:SPOKEN_BY]->(speaker:Person)
RETURN e.at AS at, speaker.name AS said_by, e.text AS text, e.id AS id
ORDER BY at DESC, id DESC
LIMIT 50
