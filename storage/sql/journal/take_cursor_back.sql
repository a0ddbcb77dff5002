-- Takes a projection's cursor back to a sequence, where it is farther.
UPDATE cursor SET seq = ? WHERE space = ? AND projection = ? AND seq > ?
