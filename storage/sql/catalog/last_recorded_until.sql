-- The newest entry that was written down by a time; looks from the end, where most times lie.
SELECT seq FROM entry WHERE space = ? AND recorded_at <= ? ORDER BY seq DESC LIMIT 1
