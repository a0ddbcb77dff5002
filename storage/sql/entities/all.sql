-- Every entity of a space, most mentioned first.
SELECT id, kind, name, mentions, merged_into FROM entity WHERE space = ?
ORDER BY mentions DESC, id
