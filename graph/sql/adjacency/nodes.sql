-- Nodes numbered by a run of entries.
SELECT number, label, seq FROM node WHERE space = ? AND seq > ? AND seq <= ? ORDER BY number
