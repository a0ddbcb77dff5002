-- Who holds the leases of a space, and until when.
SELECT work, owner, until FROM lease WHERE space = ? ORDER BY work
