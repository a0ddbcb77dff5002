-- Lines of the trace about something that is forgotten are looked up.
CREATE INDEX IF NOT EXISTS trace_by_subject ON trace (space, subject) WHERE subject IS NOT NULL;
