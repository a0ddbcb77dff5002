-- Drops the vectors of a text of which one is damaged: all of them are made again.
DELETE FROM embedding WHERE (space, model, text_hash) =
    (SELECT space, model, text_hash FROM embedding WHERE rowid = ?)
