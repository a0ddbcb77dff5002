-- The last change of a space's adjacency.
SELECT coalesce(max(number), 0) FROM graph_change WHERE space = ?
