-- The first number of a space's nodes: another one after every rebuild.
SELECT min(number) FROM node WHERE space = ?
