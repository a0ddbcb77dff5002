-- A memory that another one corrects names it: the journal sequence of the newer version.
ALTER TABLE experience ADD COLUMN superseded_by INTEGER;
CREATE INDEX experience_superseded ON experience (space, superseded_by)
WHERE superseded_by IS NOT NULL;
