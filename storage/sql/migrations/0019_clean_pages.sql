-- A new file never keeps what is deleted; one of before is compacted once, by its next forgetting.
INSERT INTO meta (name, value)
SELECT 'clean pages', randomblob(8) WHERE NOT EXISTS (SELECT 1 FROM space);
