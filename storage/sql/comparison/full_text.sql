-- The terms of every memory, in order, to be compared.
SELECT seq, terms FROM full_text WHERE space = ? ORDER BY seq
