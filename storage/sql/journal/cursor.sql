-- How far a projection has come.
SELECT seq, version FROM cursor WHERE space = ? AND projection = ?
