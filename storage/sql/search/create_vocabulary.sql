-- In how many memories of the space a term occurs.
CREATE VIRTUAL TABLE {search}_vocabulary USING fts5vocab ({search}, row)
