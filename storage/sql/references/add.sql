-- Notes that an entry is about some memories, by their ids.
INSERT OR IGNORE INTO about (space, memory, seq)
SELECT m.space, m.seq, :seq FROM json_each(:ids) named CROSS JOIN entry m ON m.id = named.value
WHERE +m.space = :space
