-- The next sequence of the file: entries are never removed, so none is given twice.
SELECT coalesce(max(head_seq), 0) + 1 FROM space
