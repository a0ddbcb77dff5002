-- The vocabulary of a space: every term with its counts.
CREATE VIRTUAL TABLE {search}_vocabulary USING fts5vocab ({search}, row)
