-- Which fact ended another, so that how one stands is looked up and not folded from all.
ALTER TABLE fact_entry ADD COLUMN by_fact TEXT;
UPDATE fact_entry SET by_fact = (
    SELECT p.body ->> '$.by_fact' FROM payload p WHERE p.seq = fact_entry.seq);
CREATE INDEX fact_entry_by_end ON fact_entry (space, by_fact) WHERE by_fact IS NOT NULL;
