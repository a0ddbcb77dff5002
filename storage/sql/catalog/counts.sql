-- Captured experiences that still have their payload, and experiences listed, at one moment.
SELECT (SELECT count(*) FROM entry e JOIN payload p ON p.seq = e.seq
        WHERE e.space = :space AND e.kind = 'ExperienceCaptured'),
       (SELECT count(*) FROM experience WHERE space = :space)
