-- The numbers of a space's types of edges, and their names.
SELECT number, name FROM edge_type WHERE space = ?
