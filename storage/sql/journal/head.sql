-- Where a space's chain ends, kept apart from the chain so that a cut is noticed.
SELECT head_seq, head_hash FROM space WHERE number = ?
