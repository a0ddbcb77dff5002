-- One value for all rows of a space, the same for the same rows.
SELECT md5(coalesce(string_agg(md5(v::text), '' ORDER BY seq, chunk), ''))
FROM meridia_vectors v WHERE partition = %(partition)s
