-- Notes that pages were cleaned: other connections read them again.
INSERT OR REPLACE INTO meta (name, value) VALUES ('clean pages', randomblob(8))
