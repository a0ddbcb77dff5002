-- Has a node begin with another entry, and be called as that one calls it.
UPDATE node SET seq = ?, name = ? WHERE number = ? AND +space = ?
