-- Decisions that are asked for by their kind are looked up; most lines tell of events.
CREATE INDEX IF NOT EXISTS trace_by_kind ON trace (space, kind) WHERE kind <> 'event';
