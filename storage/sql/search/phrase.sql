-- Where terms stand next to each other.
SELECT rowid FROM {search} WHERE {search} MATCH ?
