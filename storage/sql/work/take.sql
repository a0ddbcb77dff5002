-- Takes a lease that is free, our own, over, or from a clock that ran ahead; else nothing changes.
INSERT INTO lease (space, work, owner, until) VALUES (:space, :work, :owner, :until)
ON CONFLICT (space, work) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE owner = excluded.owner OR until < :now OR until > :latest
