-- Boundaries of sessions (trait 128), and what is planned or out of use (256), are no memories.
UPDATE experience SET traits = traits | 128 WHERE kind = 'session_boundary';
UPDATE experience SET traits = traits | 256 WHERE (space, seq) IN (
    SELECT space, seq FROM (
        SELECT space, seq, metadata ->> '$.status' AS own, metadata ->> '$.document' AS document
        FROM (SELECT x.space, x.seq, coalesce(
                coalesce(h.body, p.body) -> '$.event.metadata', p.body -> '$.skeleton.metadata'
            ) AS metadata
            FROM experience x JOIN payload p ON p.seq = x.seq
            LEFT JOIN provisional h ON h.seq = x.seq))
    WHERE lower(trim(own)) IN ('planned', 'deprecated', 'inactive')
        OR CASE WHEN json_valid(document)
            THEN lower(trim(coalesce(document ->> '$.status', 'active'))) <> 'active' END);
