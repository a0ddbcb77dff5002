-- Gives a type of edges its number in a space, once.
INSERT OR IGNORE INTO edge_type (space, name, number)
SELECT :space, :name, 1 + count(*) FROM edge_type WHERE space = :space
