// The last things that $person said, newest first.
MATCH (p:Person)<-[:SPOKEN_BY]-(e:Experience)
WHERE p.space = $space AND toLower(p.name) = toLower($person)
RETURN e.at AS at, e.text AS text, e.id AS id
ORDER BY at DESC, id DESC
LIMIT 20
