-- How often what was shown was of use, by mode; what was taken back is left out.
SELECT mode,
       count(auto_score),
       coalesce(sum(CASE WHEN auto_score IS NOT NULL THEN records_injected END), 0),
       coalesce(sum(CASE WHEN auto_score IS NOT NULL THEN records_referenced END), 0),
       avg(auto_score),
       count(user_rating),
       avg(user_rating),
       count(CASE WHEN verdict = 'useful' THEN 1 END),
       count(CASE WHEN verdict = 'stale' THEN 1 END),
       count(CASE WHEN verdict = 'wrong' THEN 1 END)
FROM reconstitution_feedback
WHERE space = ? AND taken_back IS NULL
GROUP BY mode ORDER BY mode
