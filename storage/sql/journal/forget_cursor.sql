-- A dropped projection starts over.
DELETE FROM cursor WHERE space = ? AND projection = ?
