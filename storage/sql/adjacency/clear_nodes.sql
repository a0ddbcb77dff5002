-- Drops a space's numbering before a rebuild.
DELETE FROM node WHERE space = ?
