-- Delete lines of the trace stream: those before a time, and all but the newest so many of a space.
DELETE FROM trace WHERE space = :space AND (
    at < :before
    OR number < (SELECT number FROM trace WHERE space = :space
                 ORDER BY number DESC LIMIT 1 OFFSET :keep - 1))
