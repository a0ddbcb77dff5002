-- Which entry mentioned an entity first: a forgetting looks for another only when that goes.
ALTER TABLE entity ADD COLUMN first_seq INTEGER;
