-- Gives a lease back.
DELETE FROM lease WHERE space = ? AND work = ? AND owner = ?
