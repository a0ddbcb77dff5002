-- The last sequence by which anything in a space is read otherwise.
SELECT coalesce(max(since), 0) FROM reading WHERE space = ?
