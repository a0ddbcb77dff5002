// Waits until every index is in use: a load without them looks up each key by a scan.
CALL db.awaitIndexes(300)
