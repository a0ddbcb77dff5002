-- Every held event of a space with what the journal says of it.
SELECT h.seq, h.body, p.body FROM provisional h JOIN payload p ON p.seq = h.seq WHERE h.space = ?
