-- One stage of one entry is done, or no longer needed.
DELETE FROM task WHERE space = ? AND seq = ? AND stage = ?
