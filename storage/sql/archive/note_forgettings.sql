-- What a space forgot before it was archived: it is finished there.
INSERT INTO forgetting (space, seq, unfinished)
SELECT space, seq, 0 FROM entry WHERE space = ? AND kind = 'Forgotten'
