-- Erases the token vectors of one experience, whose text is another from now on.
DELETE FROM token_vectors WHERE space = ? AND seq = ?
