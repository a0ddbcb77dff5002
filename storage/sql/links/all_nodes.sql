-- Every node that a plan can name, in the order in which they became known.
SELECT id, label, seq FROM node
WHERE space = ? AND label IN ('Experience', 'Episode', 'Fact', 'Artifact') ORDER BY seq, number
