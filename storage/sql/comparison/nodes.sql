-- The nodes that edges lie between, without their numbers, to be compared.
SELECT label, id, seq, name FROM node WHERE space = ? ORDER BY id
