// Tells which full-text index has fallen behind.
SHOW INDEXES
