-- Takes the adjacency back to where it was before a sequence: the nodes numbered since.
DELETE FROM node WHERE space = ? AND seq >= ?
