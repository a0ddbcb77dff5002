-- A later version of a memory is listed under the caller's id of the first, unless it has its own.
WITH RECURSIVE version (space, seq, event_id) AS (
    SELECT space, seq, event_id FROM experience
    WHERE superseded_by IS NOT NULL AND seq NOT IN (
        SELECT superseded_by FROM experience WHERE superseded_by IS NOT NULL)
    UNION
    SELECT n.space, n.seq, CASE n.event_id WHEN n.id THEN v.event_id ELSE n.event_id END
    FROM version v
    JOIN experience x ON x.space = v.space AND x.seq = v.seq
    JOIN experience n ON n.space = x.space AND n.seq = x.superseded_by)
UPDATE experience SET event_id = (
    SELECT v.event_id FROM version v WHERE v.space = experience.space AND v.seq = experience.seq)
WHERE event_id = id AND seq IN (SELECT seq FROM version);
