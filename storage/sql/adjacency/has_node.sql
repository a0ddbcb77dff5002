-- Whether a node that a view was made of is still there.
SELECT EXISTS (SELECT 1 FROM node WHERE number = ? AND +space = ?)
