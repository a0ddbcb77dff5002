-- Nodes numbered since, by a run of entries.
SELECT number, label, seq FROM node WHERE space = ? AND number > ? AND seq <= ? ORDER BY number
