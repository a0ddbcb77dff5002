-- How many experiences of a space have a vector of a model.
SELECT count(*) FROM experience x WHERE x.space = ? AND EXISTS (
    SELECT 1 FROM embedding v
    WHERE v.space = x.space AND v.model = ? AND v.text_hash = x.text_hash)
