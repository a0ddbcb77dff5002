-- What was changed in the adjacency after a change.
SELECT number, type, source, target FROM graph_change WHERE space = ? AND number > ?
ORDER BY number
