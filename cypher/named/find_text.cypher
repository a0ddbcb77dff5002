// Experiences whose text matches the full-text query $words, best first.
CALL db.index.fulltext.queryNodes('meridia_text', $words) YIELD node, score
WITH node, score
WHERE node.space = $space
RETURN node.text AS text, node.at AS at, node.id AS id, score
ORDER BY score DESC, id
LIMIT 20
