-- Notes a forgetting that is to be finished outside of the file.
INSERT INTO forgetting (space, seq, unfinished) VALUES (:space, :seq, 1)
