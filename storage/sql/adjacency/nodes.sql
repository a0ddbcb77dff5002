-- Nodes numbered since, by a run of entries.
SELECT number, label, seq FROM node WHERE number > ? AND +space = ? AND seq <= ? ORDER BY number
