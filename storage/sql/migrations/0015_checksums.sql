-- Every vector with the checksum of its bytes: nothing else tells of a sign that was flipped.
ALTER TABLE embedding ADD COLUMN checksum INTEGER;
UPDATE embedding SET checksum = checksum(vector);
ALTER TABLE token_vectors ADD COLUMN checksum INTEGER;
UPDATE token_vectors SET checksum = checksum(body);
