-- Some memories with all their versions: what each corrects, and what corrects it.
WITH RECURSIVE version (seq) AS (
    SELECT value FROM json_each(:seqs)
    UNION
    SELECT x.seq FROM experience x JOIN version v ON x.superseded_by = v.seq
    WHERE x.space = :space
    UNION
    SELECT x.superseded_by FROM experience x JOIN version v ON x.seq = v.seq
    WHERE x.space = :space AND x.superseded_by IS NOT NULL)
SELECT seq FROM version
