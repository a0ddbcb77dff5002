-- The list of feedback, to be compared.
SELECT * FROM reconstitution_feedback WHERE space = ? ORDER BY seq
