-- Takes one entity for another from now on, or (NULL) for itself again.
UPDATE entity SET merged_into = :into WHERE space = :space AND id = :entity
