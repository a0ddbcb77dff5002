-- Two outcomes of ingest got other names; the list of experiences is a projection and follows.
UPDATE experience SET outcome = 'text_only' WHERE outcome = 'light';
UPDATE experience SET outcome = 'outline' WHERE outcome = 'skeleton';
