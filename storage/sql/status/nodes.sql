-- How many nodes of each label the adjacency knows.
SELECT label, count(*) FROM node WHERE space = ? GROUP BY label ORDER BY label
