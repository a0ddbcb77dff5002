-- What association needs of a run of experiences, in journal order.
SELECT seq, id, kind, traits FROM experience WHERE space = ? AND seq > ? AND seq <= ? ORDER BY seq
