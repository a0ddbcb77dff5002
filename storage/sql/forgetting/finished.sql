-- Notes that a forgetting is finished.
UPDATE forgetting SET unfinished = 0 WHERE space = :space AND seq = :seq
