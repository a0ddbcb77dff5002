-- Notes an edge that may be another now, or a node that went.
INSERT INTO graph_change (space, type, source, target) VALUES (?, ?, ?, ?)
