-- The end of a chain moves with each append, in its transaction.
UPDATE space SET head_seq = ?, head_hash = ? WHERE number = ?
