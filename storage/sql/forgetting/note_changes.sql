-- Notes which memories have no terms any more.
INSERT INTO text_change (space, seq) SELECT :space, value FROM json_each(:seqs)
