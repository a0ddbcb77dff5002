-- The caller's id of an experience, by Meridia's.
SELECT x.event_id FROM experience x
WHERE x.space = :space AND x.seq = (SELECT seq FROM entry WHERE id = :id AND space = :space)
