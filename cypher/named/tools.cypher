// Which tools were used, how often and when last.
MATCH (e:Experience)
WHERE e.space = $space AND e.tool IS NOT NULL
RETURN e.tool AS tool, count(e) AS used, max(e.at) AS last
ORDER BY used DESC, tool
LIMIT 100
