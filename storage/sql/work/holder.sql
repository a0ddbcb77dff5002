-- Who holds a lease.
SELECT owner FROM lease WHERE space = ? AND work = ?
