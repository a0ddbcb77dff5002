-- The newest forgetting of a space.
SELECT max(seq) FROM forgetting WHERE space = :space
