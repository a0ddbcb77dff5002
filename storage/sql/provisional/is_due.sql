-- Whether any held event's time is over.
SELECT EXISTS (SELECT 1 FROM provisional WHERE space = ? AND expires_at <= ?)
