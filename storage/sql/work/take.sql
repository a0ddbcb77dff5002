-- Takes a lease that is free, over, or our own already; nothing changes where it is not.
INSERT INTO lease (space, work, owner, until) VALUES (:space, :work, :owner, :until)
ON CONFLICT (space, work) DO UPDATE SET owner = excluded.owner, until = excluded.until
WHERE owner = excluded.owner OR until < :now
