-- Of people and the first of their words that go, those with none before: the first that stay.
SELECT gone.value ->> 0, (
    SELECT min(x.seq) FROM experience x INDEXED BY experience_by_person
    WHERE x.space = :space AND x.person = gone.value ->> 0
      AND x.kind NOT IN ('assistant_message', 'tool_result')
      AND x.seq NOT IN (SELECT value FROM json_each(:seqs)))
FROM json_each(:gone) gone
WHERE NOT EXISTS (
    SELECT 1 FROM experience x INDEXED BY experience_by_person
    WHERE x.space = :space AND x.person = gone.value ->> 0
      AND x.kind NOT IN ('assistant_message', 'tool_result') AND x.seq < gone.value ->> 1)
