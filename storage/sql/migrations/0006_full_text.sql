-- Full text has a cursor of its own; what was captured before was indexed with its capture.
INSERT INTO cursor (space, projection, version, seq)
SELECT number, 'search', 1, head_seq FROM space WHERE head_seq > 0;
