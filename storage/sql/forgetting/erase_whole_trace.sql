-- Deletes all lines of the trace of a space of which everything is forgotten.
DELETE FROM trace WHERE space = :space AND :everything
