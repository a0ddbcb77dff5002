-- In how many sessions a person spoke.
SELECT count(DISTINCT session) FROM experience WHERE space = ? AND person = ?
