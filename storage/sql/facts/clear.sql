-- Drops a space's files of facts before a rebuild.
DELETE FROM fact_entry WHERE space = ?
