// The files, links and images that came up last, and with which memory.
MATCH (a:Artifact)<-[:REFERENCES]-(e:Experience)
WHERE a.space = $space
RETURN a.uri AS uri, a.media AS media, a.description AS description, max(e.at) AS last,
       count(e) AS referred
ORDER BY last DESC, uri
LIMIT 50
