-- What somebody said, or what was observed, about an answer or a memory.
INSERT INTO reconstitution_feedback (
    space, seq, id, reconstitution_id, ts, mode, records_injected, records_referenced,
    anchors_hit, user_rating, auto_score, notes, verdict)
VALUES (
    :space, :seq, :id, :reconstitution_id, :ts, :mode, :records_injected, :records_referenced,
    :anchors_hit, :user_rating, :auto_score, :notes, :verdict)
