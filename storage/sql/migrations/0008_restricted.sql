-- Memories whose metadata restrict who may see them are marked in the list (trait 64).
UPDATE experience SET traits = traits | 64 WHERE (space, seq) IN (
    SELECT x.space, x.seq
    FROM experience x JOIN payload p ON p.seq = x.seq LEFT JOIN provisional h ON h.seq = x.seq,
         json_each('["$.event.metadata", "$.event.metadata.document"]') level,
         json_each('{"visibility": "public", "confidentiality": "normal"}') open
    WHERE lower(trim(coalesce(
        json_extract(coalesce(h.body, p.body), level.value || '.' || open.key), open.value
    ))) <> open.value);
