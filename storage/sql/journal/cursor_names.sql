-- The projections of a space that have a cursor.
SELECT projection FROM cursor WHERE space = ? ORDER BY projection
