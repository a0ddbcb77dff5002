-- Delete kept recalls of a space: those before a time, and all but the newest so many.
DELETE FROM recall WHERE space = :space AND (
    at < :before
    OR at < (SELECT at FROM recall WHERE space = :space ORDER BY at DESC LIMIT 1 OFFSET :keep - 1))
